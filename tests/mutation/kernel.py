# SPDX-License-Identifier: GPL-2.0
"""A kernel in which functions have copies, each with a bug: see weave.py."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from guests.guest import Guest
from host.console import Console
from host.errors import Trouble
from host import tools
from mutation.catalog import Read
from mutation.weave import Copy, woven
from trees.shadow import Shadow

# What the compiler calls the source of a copy.
IN_COPY = re.compile(r'\bmutant/(\d+)/')
ROUNDS = 4      # of a build: each leaves out the copies that do not compile


def reader(tree: Shadow) -> Read:
    """The files of a tree with its patches, without the copies."""
    contents = tree.contents()

    def read(name: str) -> str:
        content = contents[name] if name in contents else tree.original(name)
        return (content or b'').decode()
    return read


def sources(copies: Iterable[Copy]) -> list[str]:
    return sorted({copy.function.file for copy in copies})


class Kernel:
    """The copies in a tree, and the numbers of those that do not compile."""

    def __init__(self, tree: Shadow, read: Read, copies: Sequence[Copy]):
        self.tree = tree
        self.read = read
        self.copies = copies
        self.broken: set[int] = set()
        tree.rewrite = self._rewrite

    def _rewrite(self) -> dict[str, bytes]:
        good = [copy for copy in self.copies if copy.number not in self.broken]
        return {file: woven(self.read(file), [copy for copy in good if copy.function.file == file]).encode()
                for file in sources(self.copies)}

    def build(self, guest: Guest, console: Console) -> None:
        """Build, without the copies that do not compile."""
        for _ in range(ROUNDS):
            try:
                with console.step('build', f'{len(self.copies)} copies of functions') as step:
                    guest.build(step, '-k')
                return
            except Trouble as trouble:
                output = trouble.__cause__.output if isinstance(trouble.__cause__, tools.Failed) else ''
                found = {int(number) for number in IN_COPY.findall(output)} - self.broken
                if not found:
                    raise
                self.broken |= found
                self.tree.bring_in_step()
        raise Trouble('the kernel does not build with copies of the functions', 'see the lines above')
