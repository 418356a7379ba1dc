# SPDX-License-Identifier: GPL-2.0
"""Apply several series in every order: the kernel after each of their patches."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from host.errors import Trouble
from trees import series
from trees.series import Patch

# The contents of the files that differ from the tree; None for a deleted file.
State = Mapping[str, bytes | None]


@dataclass(frozen=True)
class Step:
    """One patch, applied after others, and the files after it."""

    order: tuple[str, ...]      # the series so far, the last one with this patch
    patch: Patch
    state: State

    def __str__(self) -> str:
        return f'{", ".join(self.order)}: {self.patch.name}'


class _Tree:
    """A tree to apply single patches to; one that was applied to the same files before is not applied again."""

    def __init__(self, path: Path):
        self.path = path
        self._known: dict[tuple[object, ...], State] = {}

    def _content(self, name: str, state: State) -> bytes | None:
        if name in state:
            return state[name]
        return (self.path / name).read_bytes() if (self.path / name).is_file() else None

    def after(self, patch: Patch, state: State) -> State:
        """The state after a patch."""
        files = {name: self._content(name, state) for name in sorted(patch.touched)}
        key = (patch.diff, *files.items())
        if key not in self._known:
            with tempfile.TemporaryDirectory() as folder:
                for name, content in files.items():
                    if content is not None:
                        (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                        (Path(folder) / name).write_bytes(content)
                self._known[key] = series.apply([patch], Path(folder))
        return {**state, **self._known[key]}


@dataclass(frozen=True)
class _Node:
    """The kernel after some of the series."""

    order: tuple[str, ...]
    patches: Sequence[Patch]
    state: State


def _differences(one: _Node, other: _Node) -> list[str]:
    """The files that two orders of the same series leave in different states, with the last patches that change them."""
    found = []
    for name in sorted(one.state.keys() | other.state.keys()):
        if one.state.get(name) != other.state.get(name):
            last = [next(patch.name for patch in reversed(node.patches) if name in patch.touched) for node in (one, other)]
            found.append(f'{name} after {", ".join(other.order)} ({last[1]}) '
                         f'differs from that after {", ".join(one.order)} ({last[0]})')
    return found


def walk(named: Mapping[str, Sequence[Patch]], path: Path) -> tuple[list[Step], list[str]]:
    """All steps of all orders of the series, and what is wrong: patches that do not apply, results that differ.

    All orders of the same series must leave the same files. So the next series is applied once to each set of them, not
    once to each order. A patch that two series share is applied once.
    """
    tree, steps, errors = _Tree(path), [], []
    nodes = {frozenset[str](): _Node((), (), {})}
    for before in (frozenset(chosen) for count in range(len(named)) for chosen in combinations(named, count)):
        for name in named:
            if before not in nodes or name in before:
                continue
            node = nodes[before]
            order, patches, state = (*node.order, name), list(node.patches), node.state
            try:
                for patch in series.without(named[name], patches):
                    state = tree.after(patch, state)
                    patches.append(patch)
                    steps.append(Step(order, patch, state))
            except Trouble as trouble:
                errors.append(f'{", ".join(order)}: {trouble}\n{trouble.details}'.rstrip())
                continue
            found = _Node(order, patches, state)
            errors += _differences(nodes.setdefault(before | {name}, found), found)
    return steps, errors
