# SPDX-License-Identifier: GPL-2.0
"""`make merge`: join the results of all parts of SHARD= to those that one run would have.

Exit status: 0 all passed; 1 a case failed, or what the command calls so; 2 a part is missing or of another commit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from commands import bisect
from commands import mutants
from commands import mutation
from commands import run
from host.console import Console
from host import exit_status
from host.settings import results
from mutation import record
from results import interleavings
from results import parts
from results import rows
from results import runs
from results import shards
from results.report import Counts, failures

# The results of make run that are joined; the logs of each guest stay where they are.
OF_RUN = {'results.ktap': parts.ktap, 'results.json': parts.results_json, 'results.junit.xml': parts.junit}


def _run(folders: Sequence[Path], into: Path, console: Console) -> int:
    """Join the results of make run, one folder for each kernel and variant."""
    status = exit_status.PASSED
    for name in sorted({found.parent.name for folder in folders for found in folder.glob('*/results.json')}):
        (into / name).mkdir(parents=True, exist_ok=True)
        run.keep(into / name)
        for file, join in OF_RUN.items():
            texts = [(folder / name / file).read_text() for folder in folders if (folder / name / file).exists()]
            (into / name / file).write_text(join(texts))
            # What a case prints is that of one part; here, all parts count.
            if file == 'results.ktap' and (matrix := interleavings.matrix(''.join(texts))):
                (into / name / interleavings.FILE).write_text(matrix)
        facts = [runs.Facts.load(folder / name) for folder in folders if (folder / name).is_dir()]
        replace(facts[0], passed=all(part.passed for part in facts), errors=[error for part in facts for error in part.errors],
                seconds=sum(part.seconds for part in facts)).save(into / name)
        counts = Counts.read(into / name / 'results.json')
        for line in (error for part in facts for error in part.errors):
            console.say(f'[FAILED] {line}')
        for failed in failures(into / name / 'results.junit.xml'):
            console.say(f'failed    {failed}')
        good = counts.good and all(part.passed for part in facts)
        console.say(f'{"passed" if good else "FAILED":<9} {name}: {counts}')
        status = status if good else exit_status.FAILED
    return status


def _mutation(folders: Sequence[Path], into: Path, console: Console) -> int:
    """Join the verdicts of make mutation."""
    status = exit_status.PASSED
    for arch in sorted({found.parent.name for folder in folders for found in folder.glob('*/mutation.json')}):
        verdicts = record.union(record.load(folder / arch / 'mutation.json') for folder in folders)
        (into / arch).mkdir(parents=True, exist_ok=True)
        record.save(into / arch / 'mutation.json', verdicts)
        status = max(status, mutation.report(verdicts, arch, console))
    return status


def _rows(folders: Sequence[Path], file: str) -> list[rows.Row]:
    return sorted((row for folder in folders for row in rows.load(folder / file)), key=lambda row: row.number)


def _mutants(folders: Sequence[Path], into: Path, console: Console) -> int:
    """Join the verdicts of make mutants."""
    found = _rows(folders, mutants.FILE)
    console.say(mutants.table(found))
    return mutants.report(found, into)


def _bisect(folders: Sequence[Path], into: Path, _: Console) -> int:
    """Join the table of make bisect."""
    return bisect.report(_rows(folders, bisect.FILE), into)


JOIN = {'run': _run, 'mutation': _mutation, 'mutants': _mutants, 'bisect': _bisect}


def main(env: Mapping[str, str]) -> int:
    """Join the parts in the folders of FROM=, or all below the folder of results."""
    into = results(env)
    folders = [Path(name).expanduser().resolve() for name in env.get('FROM', '').split()] or sorted(into.glob('shard-*-*'))
    console = Console()
    status = exit_status.PASSED
    for command, parts_of in shards.complete(folders):
        console.say(f'merged    make {command}: {len(parts_of)} parts')
        status = max(status, JOIN[command](parts_of, into, console))
    return status
