# SPDX-License-Identifier: GPL-2.0
"""A kernel in which functions have copies, each with a bug: see weave.py."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from guests.guest import Guest
from host.console import Console, Step
from host.errors import Trouble
from host import tools
from mutation import assembly, catalog, weave
from mutation.catalog import Read
from mutation.weave import Copy, Mutant, original, refused, woven, wrong
from trees.shadow import HOME, Shadow

# The object of a source that includes each header with batched functions.
FOR_HEADERS = 'mm/rmap.o'
# What each twin includes first.
TWINS = f'{HOME}/lib/twin/begin.h'
# What the linker misses.
UNDEFINED = re.compile(r"undefined reference to `(\w+)'")
# In the build folder: the copies that do not compile or link.
LEFT_OUT = 'ptebatch-left-out'
ROUNDS = 4      # each leaves out the copies that do not compile


def reader(tree: Shadow) -> Read:
    """The files of a tree with its patches, without the copies."""
    contents = tree.contents()

    def read(name: str) -> str:
        content = contents[name] if name in contents else tree.original(name)
        return (content or b'').decode()
    return read


def selected(tree: Shadow, base: Shadow, read: Read, arch: str, env: Mapping[str, str]) -> tuple[list[str], list[Mutant]]:
    """The functions that get mutants in a kernel with a series on top of another, and the selected mutants.

    Of a function that is not about batches, only the lines that the series changes.
    """
    touched = sorted({file for patch in tree.patches[len(base.patches):] for file in patch.touched})
    before = reader(base) if touched else read
    names = catalog.functions(read, arch, before, touched)
    batched = {*catalog.functions(read, arch)}
    added = {file: catalog.added_lines(before(file), read(file)) for file in touched}
    return names, [mutant for mutant in catalog.selected(names, env, read)
                   if mutant.function.title in batched or mutant.line in added[mutant.function.file]]


def sources(copies: Iterable[Copy]) -> list[str]:
    return sorted({copy.function.file for copy in copies})


class Kernel:
    """The copies in a tree, and the numbers of those that do not compile, or cannot be called."""

    def __init__(self, tree: Shadow, read: Read, copies: Sequence[Copy], build: Path):
        self.tree = tree
        self.read = read
        self.copies = copies
        self._known = build / LEFT_OUT
        before = {*self._known.read_text().split()} if self._known.exists() else set()
        self.broken = {number for number, digest in self._digests().items() if digest in before} | refused(copies)
        tree.rewrite = self._rewrite

    def _rewrite(self) -> dict[str, bytes]:
        good = [copy for copy in self.copies if copy.number not in self.broken]
        files = {file: woven(self.read(file), [copy for copy in good if copy.function.file == file]) for file in sources(self.copies)}
        # A twin includes the kernel's headers before its source.
        files[TWINS] = weave.AT_RUN_TIME + self.read(TWINS)
        return {file: content.encode() for file, content in files.items()}

    def objects(self) -> list[str]:
        """The objects that have all copies."""
        files = sources(self.copies)
        return sorted({file.replace('.c', '.o') for file in files if file.endswith('.c')} |
                      ({FOR_HEADERS} if any(file.endswith('.h') for file in files) else set()))

    def assemblies(self, guest: Guest, step: Step) -> Iterator[str]:
        """The assembly of each object, whose copies the compiler accepts."""
        names = [name for name in self.objects() if (guest.build_path / name).exists()]

        def compiled(name: str) -> str:
            more = (assembly.UNUSED_TOO,) if name == FOR_HEADERS else ()
            return assembly.compiled(guest.build_path, name, Path(folder) / name.replace('/', '-'), guest.env(), *more)
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(guest.settings.jobs) as pool:
            for number, text in enumerate(pool.map(compiled, names), 1):
                step.note = f'{number} of {len(names)} objects'
                step.progress()
                yield text

    def object_code(self, guest: Guest, console: Console) -> dict[str, str]:
        """A digest of the object code of each copy that compiles, by its name."""
        found: dict[str, str] = {}
        with console.step('assembly') as step:
            for text in self.assemblies(guest, step):
                found |= assembly.digests(text)
        return found

    def _digests(self) -> dict[int, str]:
        """What decides whether each copy compiles: the sources, and how copies are woven into them."""
        texts = [*(self.read(file) for file in sources(self.copies)), Path(weave.__file__).read_text()]
        source = hashlib.sha256('\0'.join(texts).encode()).hexdigest()
        return {copy.number: hashlib.sha256(f'{copy.function.title}\0{copy.text}\0{source}'.encode()).hexdigest()[:32]
                for copy in self.copies}

    def _leave_out(self, found: Iterable[int]) -> bool:
        """Leave out these copies; whether one of them was still in."""
        new = {*found} - self.broken
        self.broken |= new
        self.tree.bring_in_step()
        return bool(new)

    def _numbers(self, name: str) -> list[int]:
        """The number of a copy, by its name; of the copy without a change, those of all copies of its function."""
        number = name.rpartition('__m')[2]
        if number.isdecimal():
            return [int(number)]
        return [copy.number for copy in self.copies if name.removesuffix('r') == original(copy.function)]

    def build(self, guest: Guest, console: Console) -> None:
        """Build, without the copies that do not compile or link; the next build knows them."""
        guest.configure()
        self._build(guest, console)
        digests = self._digests()
        self._known.write_text('\n'.join(sorted(digests[number] for number in self.broken)))

    def compile(self, guest: Guest, step: Step) -> None:
        """Compile the objects that have the copies, without those that do not compile."""
        for _ in range(ROUNDS):
            try:
                # Not the whole kernel: most of it includes these headers.
                guest.make('-k', *self.objects(), step=step)
                return
            except tools.Failed as failed:
                # No copy: an object that this configuration does not have.
                if not self._leave_out(wrong(self.copies, failed.output)):
                    return

    def _build(self, guest: Guest, console: Console) -> None:
        with console.step('build', f'{len(self.copies)} copies of functions') as step:
            self.compile(guest, step)
            for _ in range(ROUNDS):
                try:
                    guest.build(step)
                    return
                except Trouble as trouble:
                    output = trouble.__cause__.output if isinstance(trouble.__cause__, tools.Failed) else ''
                    # A forced condition keeps a call that the compiler drops otherwise, of a function that is not configured.
                    symbols = {*UNDEFINED.findall(output)}
                    users = (name for text in self.assemblies(guest, step) for name in assembly.users(text, symbols)) if symbols else ()
                    # Or a copy does not compile in a twin.
                    if not self._leave_out({*wrong(self.copies, output), *(number for name in users for number in self._numbers(name))}):
                        raise
            guest.build(step)
