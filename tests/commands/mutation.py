# SPDX-License-Identifier: GPL-2.0
"""`make mutation`: make all small changes of the batched functions, one at a time, and count those that a case catches.

Exit status: 0 measured; 1 a mutant that the record calls killed survives; 2 could not run.
"""

from __future__ import annotations

import hashlib
import random
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed

from commands import mutation_bench
from commands import run
from guests.guest import Guest
from host.console import Console, Step
from host.errors import Trouble
from host import exit_status
from host import lock
from host import packages
from host.settings import PROJECT, Settings, sample
from host import tools
from host import wheels
from mutation import catalog, record
from mutation import guest as guests
from mutation.guest import Case, Command
from mutation.kernel import Kernel, reader, selected
from mutation.record import Record, Verdict
from mutation.weave import Mutant, original

# A copy in System.map.
IN_KERNEL = re.compile(r' (\w+__m\w+)$', re.MULTILINE)


def _digests(kernel: Kernel, guest: Guest, console: Console) -> dict[str, str]:
    """The digest of the code of each copy that is in the kernel."""
    linked = {*IN_KERNEL.findall((guest.build_path / 'System.map').read_text())}
    return {name: digest for name, digest in kernel.object_code(guest, console).items() if name in linked}


def _identity(names: Iterable[str], arch: str, read: catalog.Read) -> str:
    """What the verdicts depend on, whichever functions FILES= and FUNCTIONS= select."""
    parts = [arch, *(read(file) for file in sorted({name.partition(':')[0] for name in names}))]
    for folder in ('lib', 'mm'):
        parts += [path.read_text() for path in sorted((PROJECT / folder).rglob('*.[chS]'))]
    return hashlib.sha256('\0'.join(parts).encode()).hexdigest()[:16]


def _plan(mutant: Mutant, cases: Sequence[Case]) -> list[Case]:
    """The cases that reach a mutant, the quickest first."""
    return sorted((case for case in cases if mutant.number in case.reached), key=lambda case: case.seconds)


def _static(kernel: Kernel, mutants: Iterable[Mutant], cases: Sequence[Case], digests: Mapping[str, str]) -> tuple[list[Verdict], list[Mutant]]:
    """The verdicts that need no guest, and the mutants that need one."""
    verdicts, left = [], []
    seen: dict[tuple[str, str], Mutant] = {}
    for mutant in mutants:
        digest = digests.get(mutant.name, '')
        plain = digests.get(original(mutant.function), '')
        other = seen.setdefault((mutant.function.title, digest), mutant) if digest else mutant
        by = ''
        if mutant.number in kernel.broken:
            verdict = record.NOT_COMPILED
        elif not digest:
            verdict = record.ABSENT
        elif digest == plain:
            verdict = record.EQUIVALENT
        elif other is not mutant:
            verdict, by = record.DUPLICATE, other.key
        elif not _plan(mutant, cases):
            verdict = record.NOT_REACHED
        else:
            left.append(mutant)
            continue
        verdicts.append(_verdict(mutant, verdict, by))
    return verdicts, left


def _verdict(mutant: Mutant, verdict: str, by: str) -> Verdict:
    kept = '' if verdict in record.CAUGHT else mutant.diff()
    return Verdict(mutant.key, mutant.function.title, mutant.line, verdict, by, kept)


def _sample(mutants: Sequence[Mutant], env: Mapping[str, str], recorded: Iterable[Verdict]) -> Sequence[Mutant]:
    """SAMPLE= of the mutants, drawn by SEED=: half of those that needed a guest when the record was made, half of new ones."""
    size, seed = sample(env)
    known = {verdict.mutant: verdict.verdict in record.RUN for verdict in recorded}
    ran = [mutant for mutant in mutants if known.get(mutant.key)]
    new = [mutant for mutant in mutants if mutant.key not in known]
    if not 0 < size < len(ran) + len(new):
        return mutants
    draw, few = random.Random(seed), min(size // 2, len(new))
    of_ran = draw.sample(ran, min(size - few, len(ran)))
    return of_ran + draw.sample(new, size - len(of_ran))


def _survivors(mutants: Sequence[Mutant], env: Mapping[str, str], recorded: Iterable[Verdict],
               elsewhere: Iterable[Verdict]) -> tuple[Sequence[Mutant], list[Verdict]]:
    """With SURVIVORS=yes: the mutants that no record calls caught, and the architecture's verdicts on the others."""
    only = env.get('SURVIVORS') or 'no'
    if only not in ('yes', 'no'):
        raise Trouble(f'SURVIVORS={only}: unknown value', 'type yes or no')
    if only == 'no':
        return mutants, []
    keys = {mutant.key for mutant in mutants}
    known = [verdict for verdict in recorded if verdict.mutant in keys and verdict.verdict in record.SETTLED]
    settled = {verdict.mutant for verdict in known} | {verdict.mutant for verdict in elsewhere if verdict.caught}
    return [mutant for mutant in mutants if mutant.key not in settled], known


def _run(command: Command, jobs: int, mutants: Sequence[Mutant], cases: Sequence[Case], kept: Record, step: Step) -> None:
    """Boot once for each mutant that the record does not have, the quickest first."""
    left = sorted((mutant for mutant in mutants if mutant.key not in kept.verdicts),
                  key=lambda mutant: sum(case.seconds for case in _plan(mutant, cases)))
    begun, done = time.monotonic(), len(mutants) - len(left)

    def judged(mutant: Mutant) -> Verdict:
        ended = guests.judge(command, mutant.number, _plan(mutant, cases))
        return _verdict(mutant, ended.verdict, ended.by)

    with ThreadPoolExecutor(jobs) as pool:
        futures = [pool.submit(judged, mutant) for mutant in left]
        try:
            for number, future in enumerate(as_completed(futures), 1):
                kept.add(future.result())
                seconds = (time.monotonic() - begun) / number * (len(left) - number)
                caught = sum(kept.verdicts[one.key].caught for one in mutants if one.key in kept.verdicts)
                step.note = f'{done + number} of {len(mutants)}, {caught} caught, {seconds / 60:.0f} min left'
                step.progress()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def report(verdicts: Sequence[Verdict], arch: str, console: Console) -> int:
    """Print what no case catches and the scores; return the exit status."""
    reviewed = record.triage()
    recorded, _ = record.of_architecture(arch)
    worse = record.worse(verdicts, recorded)
    for verdict in worse:
        console.say(f'[FAILED] {record.WORSE}: {verdict.mutant}\n{verdict.diff}')
    console.say(record.survivors(verdicts, reviewed))
    console.say(record.score_table(verdicts, reviewed))
    return exit_status.FAILED if worse else exit_status.PASSED


def main(env: Mapping[str, str]) -> int:
    """Run `make mutation`."""
    if env.get('BENCH', '') not in ('', '0'):
        return mutation_bench.main(env)
    settings = Settings.read(env).for_mutation()
    without = guests.without(env)
    sample(env)     # a wrong SAMPLE= ends it here
    console = Console()
    packages.ensure(packages.for_run(settings.arch, False), console)
    wheels.ensure(settings.cache, console)
    recorded, elsewhere = record.of_architecture(settings.arch.name)
    with run.results_folder(settings.results, ('results.txt',), console):
        tree, base = run.trees(settings, console)
        run.say_left_out(settings, console)
        read = reader(tree)
        names, every = selected(tree, base, read, settings.arch.name, env)
        mutants, known = _survivors(every, env, recorded, elsewhere)
        mutants = _sample(mutants, env, recorded)
        kernel = Kernel(tree, read, mutants, Guest(settings, tree.path).build_path)
        with run.prepared(settings, tree, base, console, f'.kunit-{settings.arch.name}') as guest:
            kernel.build(guest, console)
            digests = _digests(kernel, guest, console)
            guest.choose_accelerator(console)
            with console.step('cases', 'which mutants each case reaches'):
                cases, command = guests.explore(guest, without=without)
            verdicts, left = _static(kernel, mutants, cases, digests)
            # By name: a mutant that timing lets one part reach, and another not, must not move the others.
            chosen = [mutant for mutant in left if settings.shard.has(mutant.key)]
            kept = Record(settings.results / f'verdicts{without and "-"}{without}.jsonl', _identity(names, settings.arch.name, read))
            with console.step('mutants') as step:
                _run(command, settings.jobs, chosen, cases, kept, step)
        verdicts += [*known, *(kept.verdicts[mutant.key] for mutant in chosen)]
        record.save(settings.results.parent / 'mutation.json', verdicts)
        return report(verdicts, settings.arch.name, console)
