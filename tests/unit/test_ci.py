# SPDX-License-Identifier: GPL-2.0
"""The recipes in tests/ci: their formats, what they call, and what can run of them without a forge or a board."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from unit.machine import KTAP, Machine, print_log, script
from host.console import Console
from host.errors import Trouble
from host import lists
from host import packages
from host.settings import PROJECT, Settings
from host import tools
from host import wheels
from results import kcidb

CI = PROJECT / 'tests/ci'
RECIPES = sorted(path for path in CI.iterdir() if path.name != 'README.md')
CALL = re.compile(r'python3 -m tests ([a-z-]+)([^\n|&;`>]*)')
RESULTS = {'misc': {}, 'test_cases': [], 'sub_groups': [{'name': 'ptebatch_fake', 'misc': {}, 'sub_groups': [
    {'name': 'rows', 'misc': {}, 'sub_groups': [], 'test_cases': [
        {'name': '64K folio: -EPERM, {Wdyx*16}', 'status': 'PASS'}, {'name': 'é.', 'status': 'SKIP'},
        {'name': 'wrong', 'status': 'FAIL', 'known': '0002'}]}], 'test_cases': [{'name': '', 'status': 'ERROR'}]}]}


def with_wheels(module: str, *args: str | Path, stdin: str = '') -> str:
    """Run a module of requirements-test.txt; not in this process, which may have other versions of what it needs."""
    cache = Settings.read(os.environ).cache
    wheels.ensure(cache, Console(), wheels.TEST)
    return tools.run([sys.executable, *module.split(' ', 1), *args], stdin=stdin,
                     env=tools.environment(PYTHONPATH=str(wheels.folder(cache, wheels.TEST))))


@pytest.mark.parametrize(('schema', 'name'), [
    ('github-workflows', 'github.yml'), ('github-workflows', 'github-mutation.yml'), ('gitlab-ci', 'gitlab.yml')])
def test_forges(tmp_path: Path, schema: str, name: str) -> None:
    check = ('-m check_jsonschema', '--builtin-schema', f'vendor.{schema}')
    with_wheels(*check, CI / name)
    wrong = tmp_path / name
    wrong.write_text((CI / name).read_text().replace('matrix:', 'matrices:'))
    with pytest.raises(tools.Failed):
        with_wheels(*check, wrong)


def valid_job(text: str) -> str:
    """LAVA's own check of a job."""
    return tools.run([packages.PYTHON, '-c',
                      'import sys, yaml, lava_common.schemas as s; s.validate(yaml.safe_load(sys.stdin))'], stdin=text)


def test_lava() -> None:
    packages.ensure([packages.LAVA], Console())
    text = (CI / 'lava.yaml').read_text()
    valid_job(text)
    with pytest.raises(tools.Failed):
        valid_job(text.replace('method: u-boot', 'method: by-hand'))


@pytest.mark.parametrize(('ktap', 'verdict', 'status'), [
    (KTAP, 'pass', 0), (KTAP.replace('    ok 2', '    not ok 2').replace('\nok 1', '\nnot ok 1'), 'fail', 1)])
def test_steps_on_the_board(machine: Machine, tmp_path: Path, ktap: str, verdict: str, status: int) -> None:
    """The steps of the LAVA job, with a kernel log that has time stamps, and the parser of its log, as lavacli prints it."""
    log = ''.join(f'[   12.345678] {line}\n' for line in ktap.splitlines())
    for name in ('wget', 'modprobe', 'insmod', 'rmmod'):
        machine.program(name, f'echo {name} "$@" >>{tmp_path}/calls\n')
    machine.program('dmesg', f'[ "$1" ] || {print_log(log)}')
    machine.program('lava-test-case', f'echo "$@" >>{tmp_path}/calls\n[ "$2" != --shell ] || {{ shift 2; "$@"; }}\n')
    steps = (CI / 'lava.yaml').read_text().partition('steps:\n')[2]
    text = '\n'.join(re.findall(r'^ *- (.*)$', steps, re.MULTILINE))
    ended = subprocess.run(script(tmp_path / 'run', text), env=machine.env(), cwd=tmp_path, text=True, capture_output=True,
                           check=True)
    assert ended.stdout == log
    calls = (tmp_path / 'calls').read_text().splitlines()
    assert calls[-4:] == ['insmod --shell insmod ptebatch_kunit.ko', 'insmod ptebatch_kunit.ko',
                          f'ptebatch_fake --result {verdict}', 'rmmod ptebatch_kunit']
    printed = ''.join(f'2026-11-25T22:54:16 {line}\n' for line in ended.stdout.splitlines())
    parsed = subprocess.run([sys.executable, machine.tree / 'tools/testing/kunit/kunit.py', 'parse'], input=printed,
                            cwd=machine.tree, text=True, capture_output=True, check=False)
    assert parsed.returncode == status and 'Ran 2 tests' in parsed.stdout, parsed.stdout


@pytest.mark.parametrize(('status', 'message'), [
    (0, ''), (1, 'a case fails that'), (2, 'the gate could not run'), (3, 'a bench became slower'), (143, 'the gate could not run')])
def test_gate_on_a_forge(machine: Machine, tmp_path: Path, status: int, message: str) -> None:
    """The step of github.yml passes the exit status on, explains it, and shows the table."""
    step = (CI / 'github.yml').read_text().partition('- name: gate\n')[2].partition('run: |\n')[2].partition('      - name:')[0]
    machine.program('python3', f'echo "$@"; mkdir build; echo table >build/gate.md; exit {status}\n')
    ended = subprocess.run(['sh', '-e', '-c', textwrap.dedent(step)], cwd=tmp_path, text=True, capture_output=True, check=False,
                           env=machine.env(GITHUB_STEP_SUMMARY=str(tmp_path / 'summary')))
    output = ended.stdout.splitlines()
    assert (ended.returncode, output[0], len(output)) == (status, '-m tests gate', 2 if status else 1)
    assert output[-1].startswith(f'::error::{message}' if status else '-m tests')
    assert (tmp_path / 'summary').read_text() == 'table\n'


def test_commands_and_options_exist() -> None:
    texts = [path.read_text() for path in (*RECIPES, CI / 'README.md')]
    calls = {(command, option) for text in texts for command, options in CALL.findall(text)
             for option in re.findall(r'--[\w-]+', options) or ['--help']}
    assert {('run', '--help'), ('mutation', '--sample'), ('kcidb', '--checkout')} <= calls
    help_of = {command: tools.run([*tools.program(command), '--help']) for command, _ in calls}
    assert [call for call in sorted(calls) if call[1] not in help_of[call[0]]] == []


def test_variables_exist() -> None:
    """Those of make, and of the environment of the tools in the files of the forges."""
    others = {'XDG_CACHE_HOME', *re.findall(r'[A-Z]+_SOURCE', (CI / 'sources').read_text())}
    names = {name for path in (*RECIPES, CI / 'README.md') for line in re.findall(r'\bmake [a-z]+ .*', path.read_text())
             for name in re.findall(r'\b([A-Z_]+)=', line)}
    names |= {name for path in CI.glob('*.yml') for name in re.findall(r'^[ -]+([A-Z_]+):', path.read_text(), re.MULTILINE)}
    assert {'ARCH', 'KSRC', 'KDIR'} <= names
    assert names <= {*lists.VARIABLES, *others}


def test_the_table_has_each_recipe() -> None:
    rows = [line for line in (CI / 'README.md').read_text().splitlines() if line.startswith('| ')]
    assert [path.name for path in RECIPES if not any(f'[{path.name}]({path.name})' in row for row in rows)] == []


def sources(folder: Path, **variables: str) -> str:
    return tools.run([CI / 'sources'], cwd=folder, env=tools.environment(XDG_CACHE_HOME=str(folder / 'kept'), **variables))


@pytest.mark.parametrize('compress', [False, True])
def test_series_from_an_address(tmp_path: Path, compress: bool) -> None:
    patch = PROJECT / 'tests/mutants/mprotect/all-exclusive.patch'
    address = tmp_path / 'a.patch'
    address.write_bytes(patch.read_bytes())
    if compress:
        tools.run(['gzip', address])
        address = tmp_path / 'a.patch.gz'
    assert sources(tmp_path, SERIES_SOURCE=f'file://{address}') == f'SERIES={tmp_path}/series.mbox\n'
    assert (tmp_path / 'series.mbox').read_text() == patch.read_text()
    assert sources(tmp_path, SERIES_SOURCE=str(patch)) == f'SERIES={patch}\n'
    with pytest.raises(tools.Failed):
        sources(tmp_path, SERIES_SOURCE=f'file://{tmp_path}/none')


def test_tree_from_a_repository(machine: Machine, tmp_path: Path) -> None:
    machine.checkout()
    machine.git('branch', 'tested')
    for _ in range(2):
        assert sources(tmp_path, TREE_SOURCE=f'file://{machine.tree} tested') == f'KSRC={tmp_path}/kept/linux\n'
        assert (tmp_path / 'kept/linux/mm/mprotect.c').read_text() == 'one\ntwo\nthree\n'


def report(folder: Path, results: Mapping[str, object], checkout: str = 'ci:v3') -> kcidb.Json:
    (folder / 'x86_64-debug').mkdir(exist_ok=True)
    (folder / 'x86_64-debug/results.json').write_text(json.dumps(results))
    return kcidb.report([folder / 'x86_64-debug'], id=checkout, git_commit_hash='0' * 40)


def test_kcidb(tmp_path: Path) -> None:
    made = report(tmp_path, RESULTS)
    valid = 'import json, sys; from kcidb_io.schema import LATEST; LATEST.validate(json.load(sys.stdin))'
    with_wheels('-c ' + valid, stdin=json.dumps(made))
    assert [(build['architecture'], build['config_name']) for build in made['builds']] == [('x86_64', 'x86_64-debug')]
    tests = {test['comment'].rpartition(': ')[2]: test for test in made['tests']}
    assert {name: test['status'] for name, test in tests.items()} == {
        'a crash': 'FAIL', '-EPERM, {Wdyx*16}': 'PASS', 'é.': 'SKIP', 'wrong': 'FAIL'}
    assert tests['-EPERM, {Wdyx*16}']['path'] == 'ptebatch.ptebatch_fake.rows.64K_folio_-EPERM_Wdyx_16_'
    assert [name for name, test in tests.items() if test.get('misc') == {'known_bug': '0002'}] == ['wrong']
    made['tests'][0]['path'] = 'not a path'
    with pytest.raises(tools.Failed):
        with_wheels('-c ' + valid, stdin=json.dumps(made))


@pytest.mark.parametrize(('results', 'checkout', 'message'), [
    ({}, 'ci:v3', 'x86_64-debug/results.json: no results; type a folder with the results of make run'),
    (RESULTS, 'v3', '--checkout=v3: expected the name of the CI system'),
])
def test_no_report(tmp_path: Path, results: Mapping[str, object], checkout: str, message: str) -> None:
    with pytest.raises(Trouble) as trouble:
        report(tmp_path, results, checkout)
    assert message in str(trouble.value)
