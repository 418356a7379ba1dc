# SPDX-License-Identifier: GPL-2.0
"""`make redundant`: list the patches of tests/mutants whose object code `make mutation` also makes, which need not be kept.

A patch stays if it reverts a fix of the kernel's history, or if no record says that the generated mutant is caught. Exit
status: 0 there is none to list; 1 there is one.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from commands import mutants
from commands import run
from guests.guest import Guest
from host.console import Console
from host import exit_status
from host import lock
from host.settings import PROJECT, results
from mutation import record
from mutation.kernel import Kernel, reader, selected
from mutation.weave import Copy, Mutant

TREE = 'redundant'


def numbered(number: int, every: Sequence[Mutant], titles: set[str]) -> list[Mutant]:
    """The mutants of these functions, numbered from one on."""
    own = [mutant for mutant in every if mutant.function.title in titles]
    return [replace(mutant, number=number + index) for index, mutant in enumerate(own)]


def _caught() -> set[str]:
    """The keys of the mutants that a record of the repository calls caught."""
    return {verdict.mutant for path in PROJECT.glob('tests/recorded/*/mutation*.json') if not path.stem.endswith('bench')
            for verdict in record.load(path) if verdict.caught}


def equal(by_hand: Sequence[Copy], generated: Sequence[Mutant], digests: Mapping[str, str], caught: Container[str]
          ) -> Iterator[tuple[int, str]]:
    """The numbers of copies with the object code of a generated mutant of the same function that is caught, and its key."""
    keys = {(mutant.function, digests[mutant.name]): mutant.key for mutant in reversed(generated)
            if mutant.name in digests and mutant.key in caught}
    for copy in by_hand:
        if key := keys.get((copy.function, digests.get(copy.name, ''))):
            yield copy.number, key


def _found(patches: Sequence[Path], arch: str, on_top_of: str, env: Mapping[str, str], caught: Container[str], console: Console
           ) -> Iterator[tuple[Path, str]]:
    """The patches that are equal to a generated mutant, and its key."""
    settings, shadow, base, by_hand = mutants.together(patches, arch, on_top_of, TREE, mutants.passed_on(env), console)
    read = reader(shadow)
    numbers = [copy.number for copy in by_hand]
    single = [copy for copy in by_hand if numbers.count(copy.number) == 1]
    _, every = selected(shadow, base, read, settings.arch.name, {})
    generated = numbered(len(patches) + 1, every, {copy.function.title for copy in single})
    made = {copy.function.title for copy in generated}
    single = [copy for copy in single if copy.function.title in made]
    if not single:
        return
    kernel = Kernel(shadow, read, [*single, *generated], Guest(settings, shadow.path).build_path)
    with run.prepared(settings, shadow, base, console, f'.kunit-{arch}') as guest:
        with console.step('build', f'{len(single)} patches, {len(generated)} generated mutants') as step:
            guest.configure()
            kernel.compile(guest, step)
        digests = kernel.object_code(guest, console)
    for number, key in equal(single, generated, digests, caught):
        yield patches[number - 1], key


def main(env: Mapping[str, str]) -> int:
    """Print the patches that are redundant as a table."""
    patches = [patch for patch in mutants.chosen(env) if not mutants.key(patch, 'history')]
    lock.claim(results(env) / TREE)
    console = Console()
    caught, found = _caught(), 0
    print(mutants.ROW.format('mutant', 'arch', 'generated as'))
    print(mutants.ROW.format('---', '---', '---'))
    for (arch, on_top_of), several in mutants.kernels(patches).items():
        for patch, key in _found(several, arch, on_top_of, env, caught, console):
            found += 1
            print(mutants.ROW.format(mutants.title(patch), arch, key), flush=True)
    print(f'{found} of {len(patches)} are also generated')
    return exit_status.FAILED if found else exit_status.PASSED
