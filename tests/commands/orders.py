# SPDX-License-Identifier: GPL-2.0
"""`make orders`: apply our series in every order, and compile what they change after each patch.

Each series may be merged before or after any of the others, and git bisect stops anywhere.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from commands import compare
from commands import patches
from commands import run
from guests.guest import Guest
from host.console import Console
from host import exit_status
from host.kinds import refuse
from host import lock
from host import packages
from host.settings import Settings, given, results
from host import tools
from trees import orders
from trees import series
from trees.orders import State, Step
from trees import source


def applied(tree: Path) -> tuple[list[Step], list[str]]:
    """The steps of all orders of our series, and what is wrong with them."""
    return orders.walk({name: series.read(patches.HOME / name) for name in patches.SERIES}, tree)


def _in_kernel(name: str, sources: str) -> bool:
    """Whether a file may be part of the kernel of the architecture whose folder is arch/<sources>."""
    return not name.startswith(('tools/', 'Documentation/')) and (
        not name.startswith('arch/') or name.startswith(f'arch/{sources}/'))


def _digest(parts: Mapping[str, bytes | None]) -> str:
    return hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()


def _object(source: str) -> str:
    return source.removesuffix('c') + 'o'


class Compiler:
    """Compiles the sources that the series change, on one architecture; each with the same headers only once."""

    def __init__(self, guest: Guest, steps: Sequence[Step]):
        self.guest = guest
        folder = {'x86_64': 'x86'}.get(guest.arch.name, guest.arch.name)
        names = sorted(name for name in {name for step in steps for name in step.state} if _in_kernel(name, folder))
        self.headers = [name for name in names if name.endswith('.h')]
        self.sources = [name for name in names if name.endswith('.c')]
        self.compiled: set[str] = set()

    def leave_out(self) -> list[str]:
        """Leave out, and return, the sources that do not compile without patches: those of other configurations."""
        with suppress(tools.Failed):
            self.guest.make('-k', *map(_object, self.sources))
        found = [name for name in self.sources if not (self.guest.build_path / _object(name)).exists()]
        self.sources = [name for name in self.sources if name not in found]
        return found

    def objects(self, state: State) -> list[str]:
        """The objects to compile for a state."""
        found = {}
        for name in self.sources:
            key = _digest({file: state[file] for file in (*self.headers, name) if file in state} | {'': name.encode()})
            if key not in self.compiled:
                found[_object(name)] = key
        self.compiled.update(found.values())
        return list(found)

    def errors(self, objects: Sequence[str]) -> str:
        """What the compiler says about the objects: also a warning is an error."""
        try:
            output = self.guest.make('-k', *objects)
        except tools.Failed as failed:
            return failed.first_errors()
        return '\n'.join(line for line in output.splitlines() if 'warning:' in line)


def compiled(settings: Settings, steps: Sequence[Step], console: Console) -> Iterator[str]:
    """Compile after each step; what the compiler says."""
    packages.ensure(packages.for_run(settings.arch, False), console)
    tree, _ = run.trees(settings, console)
    state: State = {}
    tree.rewrite = lambda: state
    with tree.locked(console), console.step('compile', settings.arch.name) as progress:
        tree.bring_in_step()
        guest = Guest(settings, tree.path)
        guest.configure()
        compiler = Compiler(guest, steps)
        if left_out := compiler.leave_out():
            console.say(f'left out  {", ".join(left_out)}: not in the {settings.arch.name} kernel')
        number = 0
        for position, step in enumerate(steps, 1):
            if objects := compiler.objects(step.state):
                state = step.state
                tree.bring_in_step()
                if errors := compiler.errors(objects):
                    yield f'{settings.arch.name}, {step}\n{errors}'
                number += len(objects)
            progress.note = f'{settings.arch.name}: {position} of {len(steps)} patches, {number} objects'
            progress.progress()


def main(env: Mapping[str, str]) -> int:
    """Run `make orders`."""
    wanted = compare.each_arch(env)
    refuse(given(env), ['SERIES'], 'make orders')
    into = results(env) / 'orders'
    lock.claim(into)
    console = Console()
    tree = source.chosen(wanted[0], console)
    with console.step('apply', ', '.join(patches.SERIES)):
        steps, errors = applied(tree)
    for error in errors:
        console.say(f'[FAILED] {error}')
    for settings in [] if errors else wanted:
        # One tree for all steps: only what a patch changes is compiled.
        for error in compiled(replace(settings, fixes=None, strict=True, tree='orders'), steps, console):
            errors.append(error)
            console.say(f'[FAILED] {error}')
    return exit_status.FAILED if errors else exit_status.PASSED
