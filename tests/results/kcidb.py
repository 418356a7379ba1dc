# SPDX-License-Identifier: GPL-2.0
"""The results of `make run` as a report for KCIDB, the kernel's database of test results.

`python3 -m tests kcidb build/x86_64 --checkout my_ci:v3` prints the report; sending it is left to the CI system.
"""

from __future__ import annotations

import argparse
import json
import re
from pathlib import Path
from typing import Any

from host import architecture
from host.errors import Trouble
from results.report import Case, known_bugs, verdicts

VERSION = {'major': 5, 'minor': 0}
Json = dict[str, Any]


def _node(name: str) -> str:
    """A name as a node of a path, which permits only some characters."""
    return re.sub(r'[^\w-]+', '_', name, flags=re.ASCII)


def _tests(results: Path, build: Json) -> list[Json]:
    """A test for each case, whose path has the names of suite, case, and row of a parameterized case."""
    bugs: dict[Case, Json] = {names: {'misc': {'known_bug': bug}} for names, bug in known_bugs(results).items()}
    tests = [{'id': f'{build["id"]}/{"/".join(names)}', 'origin': build['origin'], 'build_id': build['id'],
              'path': '.'.join(map(_node, ('ptebatch', *names))), 'comment': ': '.join(names), 'status': verdict.upper(),
              **bugs.get(names, {})} for names, verdict in verdicts(results).items()]
    if not tests:
        raise Trouble(f'{results}: no results', 'type a folder with the results of make run, for example build/x86_64')
    return tests


def report(folders: list[Path], **checkout: str) -> Json:
    """The report on folders that have the results of the same checkout, of which `checkout` has what is known."""
    origin = checkout['id'].partition(':')[0]
    if not re.fullmatch(r'[a-z0-9_]+:.+', checkout['id']):
        raise Trouble(f'--checkout={checkout["id"]}: expected the name of the CI system in small letters, a colon and a name',
                      'type for example --checkout=my_ci:v3')
    builds, tests = [], []
    for folder in folders:
        name = folder.resolve().name    # the architecture, and the kind of run
        arch = architecture.ARCHES.get(name.partition('-')[0])
        builds.append({'id': f'{checkout["id"]}/{name}', 'origin': origin, 'checkout_id': checkout['id'], 'status': 'PASS',
                       'config_name': name} | ({'architecture': arch.machine} if arch else {}))
        tests += _tests(folder / 'results.json', builds[-1])
    return {'version': VERSION, 'checkouts': [{'origin': origin, 'valid': True} | checkout], 'builds': builds, 'tests': tests}


def main(args: list[str]) -> int:
    """Print the report."""
    parser = argparse.ArgumentParser(prog='python3 -m tests kcidb', description=__doc__)
    parser.add_argument('folder', nargs='+', type=Path, help='the results of make run, for example build/x86_64')
    parser.add_argument('--checkout', dest='id', required=True, help='what was tested: the name of the CI system, a colon and a name')
    parser.add_argument('--commit', dest='git_commit_hash', help='the commit under test')
    parser.add_argument('--repository', dest='git_repository_url', help='the address of its repository')
    parser.add_argument('--message-id', dest='message_id', help='the Message-ID of the series under test')
    options = {name: value for name, value in vars(parser.parse_args(args)).items() if value is not None}
    print(json.dumps(report(options.pop('folder'), **options), indent=1))
    return 0
