# SPDX-License-Identifier: GPL-2.0
"""The page of `make report`: what lies in a folder of results, as one HTML file."""

from __future__ import annotations

import importlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from figures import pairs
from figures.pairs import Pair
from figures.strips import strips
from host.errors import Trouble
from mutation import record as mutants
from mutation.record import Score, Verdict
from results import coverage
from results import pictures
from results import runs
from results.record import Record, load
from results.report import FAIL, PASS, SKIP, Case, skip_causes, skips
from results.runs import Run

TEMPLATES = Path(__file__).with_name('report')
OPEN = 3        # failures that are shown at once
DRAWN = 200     # failures whose rows are drawn; the page has the text of all
WORDS = {PASS: 'ok', FAIL: 'FAIL', SKIP: 'skip', runs.KNOWN: 'known', '': '·'}
PLACE = re.compile(r'^ *# \S+: (?:EXPECTATION|ASSERTION) FAILED at (?:\S*/ptebatch/)?(?P<place>\S+)$')
PREFIX = re.compile(r'^ *# \S+: ')
TWIN = 'its twin does not leave'


# --- failures ---

@dataclass(frozen=True)
class Failure:
    """A case that fails with the same text in one or several runs."""

    case: Case
    text: str
    runs: list[Run] = field(default_factory=list)

    @property
    def new(self) -> list[str]:
        """The runs in which it did not fail before."""
        return [run.name for run in self.runs if self.case in run.changes]

    @property
    def again(self) -> list[str]:
        return list(dict.fromkeys(filter(None, (run.again(self.case) for run in self.runs))))

    def lines(self) -> list[tuple[str, str]]:
        """What is printed, as pairs of kind and text: place, message, drawn, line."""
        form = self.runs[0].format
        found: list[tuple[str, str]] = []
        for part in pictures.printed(self.text, form):
            if isinstance(part, list):
                twin = any(TWIN in text for kind, text in found[-2:] if kind == 'message')
                # Rows that begin elsewhere are drawn for themselves.
                for first in dict.fromkeys(picture.row.first for picture in part):
                    found.append(('drawn', strips([picture for picture in part if picture.row.first == first], form, twin)))
            elif place := PLACE.match(part):
                found.append(('place', place['place']))
            elif found and found[-1][0] == 'place' and not PREFIX.match(part):
                found.append(('message', part.strip()))
            elif part.strip():
                found.append(('line', PREFIX.sub('', part).rstrip()))
        return found


def _failures(shown: Sequence[Run]) -> list[Failure]:
    """All failed cases, the new ones first; those with the same text on several architectures are one."""
    found: dict[tuple[Case, str, int], Failure] = {}
    for run in shown:
        for case, verdict in run.verdicts.items():
            if verdict == FAIL:
                text = run.texts.get(case, '')
                found.setdefault((case, text, run.format.table), Failure(case, text)).runs.append(run)
    return sorted(found.values(), key=lambda failure: not failure.new)


# --- cases ---

@dataclass(frozen=True)
class Row:
    """A case in all runs."""

    case: Case
    verdicts: list[str]
    changes: list[str]
    notes: list[str]    # why it was skipped

    @property
    def states(self) -> str:
        """The words of the filter."""
        return ' '.join(dict.fromkeys([*filter(None, self.verdicts), *('changed' for change in self.changes if change)]))


@dataclass(frozen=True)
class Suite:
    """The cases of a suite, and in each run their number by verdict."""

    name: str
    rows: list[Row]

    def counts(self) -> list[Counter[str]]:
        return [Counter(verdicts) for verdicts in zip(*(row.verdicts for row in self.rows))]


def _suites(shown: Sequence[Run]) -> list[Suite]:
    cases: dict[str, dict[Case, None]] = {}
    for run in shown:
        for case in (*run.verdicts, *run.changes):
            cases.setdefault(case[0], {})[case] = None
    found = []
    for name in sorted(cases):
        rows = []
        for case in cases[name]:
            why: dict[str, list[str]] = {}
            for run in shown:
                if run.verdicts.get(case) in (SKIP, runs.KNOWN) and run.texts.get(case):
                    why.setdefault(run.texts[case].splitlines()[0], []).append(run.name)
            rows.append(Row(case, [run.verdicts.get(case, '') for run in shown], [run.changes.get(case, '') for run in shown],
                            [f'{", ".join(names)}: {reason}' for reason, names in why.items()]))
        found.append(Suite(name, rows))
    return found


# --- benches ---

@dataclass(frozen=True)
class Bench:
    """The figures of an architecture: of twin and kernel, or of the kernel before and after."""

    name: str
    labels: tuple[str, str]
    record: Record
    tables: Mapping[str, list[Pair]]

    def plots(self) -> Iterator[tuple[str, list[Pair], str]]:
        for table, shown in self.tables.items():
            yield table, shown, pairs.plot(table, shown, self.record.key.unit)


def _benches(top: Path) -> list[Bench]:
    found: list[Bench] = []
    for path in sorted([*top.glob('bench.json'), *top.glob('*/bench.json'), *top.glob(f'{runs.AFTER}/*/bench.json')]):
        record, name, key = load(path), path.parent.name, f'bench-{len(found)}'
        before = [each for each in (top / runs.BEFORE / name / 'bench.json', top / runs.BEFORE / name / 'bench/baseline.json')
                  if each.exists()] if path.parent.parent.name == runs.AFTER else []
        found.append(Bench(name, ('before', 'after'), record, pairs.of_two(key, load(before[0]), record)) if before else
                     Bench(name, ('one by one', 'kernel'), record, pairs.of_one(key, record)))
    return found


# --- coverage and mutation ---

@dataclass
class Function:
    """What is known of a batched function."""

    name: str
    lines: int = 0
    reached: int = 0
    missed: list[str] = field(default_factory=list)
    score: Score | None = None
    survivors: list[Verdict] = field(default_factory=list)


def _map(folder: Path, reviewed: Mapping[str, tuple[str, str]]) -> list[Function]:
    """The functions in the results of make coverage and make mutation."""
    found: dict[str, Function] = {}
    table = folder / 'coverage.md'
    for name, lines, reached, missed in coverage.read_text(table.read_text()) if table.exists() else ():
        found[name] = Function(name, lines, reached, missed)
    verdicts = mutants.union(mutants.load(path) for path in sorted(folder.glob('mutation*/mutation.json')))
    for name, score in mutants.scores(verdicts, reviewed).items() if verdicts else ():
        if name != 'all':
            found.setdefault(name, Function(name)).score = score
    for verdict in sorted(verdicts, key=lambda each: each.line):
        kind = reviewed.get(verdict.mutant, ('',))[0]
        if verdict.verdict in (mutants.SURVIVED, mutants.NOT_REACHED) and kind not in mutants.NOT_COUNTED:
            found[verdict.function].survivors.append(verdict)
    return sorted(found.values(), key=lambda function: function.name)


# --- the page ---

# What a folder may have, and what makes it.
MADE_BY = {'cases': 'run', 'benches': 'bench', 'coverage': 'coverage', 'mutation': 'mutation', 'comparison': 'compare'}


def _missing(present: Mapping[str, object]) -> list[tuple[str, str]]:
    return [(name, command) for name, command in MADE_BY.items() if not present[name]]


def write(top: Path, path: Path, against: Path | None, worse: Sequence[str], slower: Sequence[str]) -> None:
    """Write the page of the results in `top`; `worse` and `slower`: what make compare says of them."""
    shown = runs.read(top, against)
    benches = _benches(top)
    reviewed = mutants.triage()
    maps = {folder.name: functions for folder in sorted([top, *top.glob('*/')]) if (functions := _map(folder, reviewed))}
    texts = {name: (top / name).read_text() for name in ('compare.md', 'gate.md') if (top / name).exists()}
    everything = [function for functions in maps.values() for function in functions]
    present = {'cases': shown, 'benches': benches, 'comparison': texts, 'coverage': any(each.lines for each in everything),
               'mutation': any(each.score for each in everything)}
    if not any(present.values()):
        raise Trouble(f'{top}: no results', 'type make run, or O= and a folder that has some')
    failures = _failures(shown)
    jinja2: Any = importlib.import_module('jinja2')
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(TEMPLATES), autoescape=True, trim_blocks=True,
                                     lstrip_blocks=True, undefined=jinja2.StrictUndefined)
    changed = [(kind, sorted({': '.join(case) for run in shown for case, change in run.changes.items() if change == kind
                              and run.verdicts.get(case) != FAIL})) for kind in (runs.NEW_PASSED, runs.NEW, runs.GONE)]
    page = environment.get_template('page.html').render(
        runs=shown, failures=failures, suites=_suites(shown), benches=benches, maps=maps, texts=texts, worse=worse,
        slower=slower, missing=_missing(present), words=WORDS, open=OPEN, drawn=DRAWN, fail=FAIL, skip=SKIP,
        new=sum(bool(failure.new) for failure in failures), changed=[each for each in changed if each[1]],
        causes={run.name: skip_causes(skips(run.folder / 'results.junit.xml')) for run in shown})
    path.parent.mkdir(parents=True, exist_ok=True)
    staged = path.with_name(path.name + '.new')
    staged.write_text(page)
    staged.replace(path)
