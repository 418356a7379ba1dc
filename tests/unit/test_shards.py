# SPDX-License-Identifier: GPL-2.0
"""SHARD=, which divides the work, and `make merge`, which joins the results."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commands import merge
from host.errors import Trouble
from host.settings import PROJECT, Settings, results
from host.shard import Shard
from results import parts
from results import rows
from results import shards
from results.report import Counts, failures, verdicts
from results.rows import Row
from unit.machine import HALTED, Machine, print_log

PATCH = '--- a/mm/mprotect.c\n+++ b/mm/mprotect.c\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n'
OTHER = 'in another part (SHARD=)'


def log(first: str, second: str, third: str) -> str:
    """KTAP of a suite with two parameters of a case, and another case."""
    return ('KTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: ptebatch_fake\n    1..2\n'
            '        KTAP version 1\n        # Subtest: rows\n'
            f'        {first.replace("@", "1 one")}\n        {second.replace("@", "2 two")}\n'
            '    # rows: pass:1 fail:0 skip:1 total:2\n    ok 1 rows\n'
            f'    {third.replace("@", "2 loop")}\n'
            '# ptebatch_fake: pass:2 fail:0 skip:0 total:2\n# Totals: pass:2 fail:0 skip:1 total:3\nok 1 ptebatch_fake\n')


GOOD, SKIPPED, BAD = 'ok @', f'ok @ # SKIP {OTHER}', 'not ok @'
LOGS = {1: log(GOOD, SKIPPED, GOOD), 2: log(SKIPPED, GOOD, GOOD)}


def guest(logs: dict[int, str], whole: str) -> str:
    """A guest that prints the log of the part that its kernel parameters select."""
    cases = ''.join(f'*part={number}*) {print_log(text + HALTED)};;\n' for number, text in logs.items())
    return f'case "$*" in\n{cases}*) {print_log(whole + HALTED)};;\nesac\n'


def test_shards_share_the_list() -> None:
    divided = [Shard.read({'SHARD': f'{number}/3'}).of(range(8)) for number in (1, 2, 3)]
    assert sorted(item for part in divided for item in part) == list(range(8))
    assert Shard.read({}).of(range(8)) == range(8)


def test_each_name_is_in_one_shard() -> None:
    names = [f'mm/file.c: function() {number}' for number in range(100)]
    owners = [[number for number in (1, 2, 3) if Shard(number, 3).has(name)] for name in names]
    assert all(len(owner) == 1 for owner in owners) and {owner[0] for owner in owners} == {1, 2, 3}
    assert all(Shard().has(name) for name in names)


@pytest.mark.parametrize('text', ['0/2', '3/2', '1', '1/', 'a/2', '1/2/3'])
def test_wrong_shard(text: str) -> None:
    with pytest.raises(Trouble, match=f'SHARD={text}: expected'):
        Shard.read({'SHARD': text})


def test_a_shard_has_results_and_a_tree_of_its_own(tmp_path: Path) -> None:
    env = {'O': str(tmp_path), 'SHARD': '2/3'}
    assert results(env) == tmp_path / 'shard-2-3'
    settings = Settings.read(env)
    assert settings.results == tmp_path / 'shard-2-3/um' and settings.tree == 'shard-2-3'
    assert settings.for_mutation().tree == 'mutation-shard-2-3'
    assert settings.shard.parameters == ('ptebatch_kunit.part=2', 'ptebatch_kunit.parts=3')
    assert Settings.read({'O': str(tmp_path)}).shard.parameters == ()
    with pytest.raises(Trouble, match='SHARD=: not supported with LOADABLE=1'):
        Settings.read(env | {'ARCH': 'x86_64', 'LOADABLE': '1'})


def test_the_reason_to_skip_is_that_of_the_suites() -> None:
    assert f'"{OTHER}"' in (PROJECT / 'lib/service/part.c').read_text()


def test_merged_run_is_the_whole(machine: Machine) -> None:
    machine.guest(guest(LOGS, log(GOOD, GOOD, GOOD)))
    assert machine.run().returncode == 0
    whole = verdicts(machine.out / 'um/results.json')
    for part in ('1/2', '2/2'):
        assert machine.run(SHARD=part).returncode == 0
    ended = machine.run('merge')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert 'merged    make run: 2 parts\npassed    um: 3 passed, 0 failed, 0 skipped\n' in ended.stdout
    assert verdicts(machine.out / 'um/results.json') == whole and len(whole) == 3
    assert Counts.read(machine.out / 'um/results.json').skipped == 0
    text = (machine.out / 'um/results.ktap').read_text()
    assert OTHER not in text and 'total:' not in text
    assert re.findall(r'ok \d (\w+)', text) == ['one', 'two', 'rows', 'loop', 'ptebatch_fake']


def test_a_failure_of_any_part_fails_the_whole(machine: Machine) -> None:
    machine.guest(guest({1: LOGS[1], 2: log(SKIPPED, GOOD, BAD)}, ''))
    assert [machine.run(SHARD=part).returncode for part in ('1/2', '2/2')] == [0, 1]
    ended = machine.run('merge')
    assert ended.returncode == 1
    assert 'failed    loop\nFAILED    um: 2 passed, 1 failed, 0 skipped\n' in ended.stdout
    assert failures(machine.out / 'um/results.junit.xml') == ['loop']
    assert '    not ok 2 loop\n' in (machine.out / 'um/results.ktap').read_text()


def test_a_part_may_have_no_case(machine: Machine) -> None:
    machine.guest(guest({1: log(SKIPPED, SKIPPED, SKIPPED)}, log(SKIPPED, SKIPPED, SKIPPED)))
    assert machine.run(SHARD='1/2').returncode == 0
    ended = machine.run()
    assert ended.returncode == 1 and 'no case ran' in ended.stdout


def test_a_missing_part_is_named(machine: Machine) -> None:
    machine.guest(guest(LOGS, ''))
    assert machine.run(SHARD='1/2').returncode == 0
    # This one is killed before it has results.
    machine.guest('exit 1\n')
    machine.run(SHARD='2/2', ARCH='none')
    ended = machine.run('merge')
    assert ended.returncode == 2
    assert re.search(r'missing   make run .*SHARD=2/2\n', ended.stdout), ended.stdout
    assert not (machine.out / 'um').exists()


def test_a_part_that_runs_again_is_not_complete_until_it_ends(tmp_path: Path) -> None:
    env = {'O': str(tmp_path), 'SHARD': '1/2', 'ARCH': 'um'}
    part = shards.begin('run', env)
    assert part and not shards.read(results(env))
    shards.end(part, env)
    assert shards.read(results(env)) == [part]
    shards.begin('run', env)
    assert not shards.read(results(env))


def test_parts_of_another_commit(tmp_path: Path) -> None:
    for number in (1, 2):
        folder = tmp_path / f'shard-{number}-2'
        shards.end(shards.Part('run', {'ARCH': 'um'}, number, 2, f'commit{number}'), {'O': str(tmp_path), 'SHARD': f'{number}/2'})
        assert shards.read(folder)
    with pytest.raises(Trouble) as raised:
        shards.complete([tmp_path / 'shard-1-2', tmp_path / 'shard-2-2'])
    assert 'commit    make run ARCH=um SHARD=2/2: commit2' in raised.value.details


def test_nothing_to_merge(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match='no part of SHARD= ended'):
        merge.main({'O': str(tmp_path)})


def test_a_command_that_has_no_parts(machine: Machine) -> None:
    ended = machine.run('bench', SHARD='1/2')
    assert ended.returncode == 2
    assert 'SHARD= does not apply to make bench' in ended.stderr


def test_a_series_is_the_same_by_its_content(tmp_path: Path) -> None:
    found = []
    for name in ('one', 'two'):
        (tmp_path / name).mkdir()
        (tmp_path / name / 'v1.patch').write_text(PATCH)
        found.append(shards.begin('run', {'O': str(tmp_path), 'SHARD': '1/2', 'SERIES': str(tmp_path / name / 'v1.patch')}))
    assert found[0] and found[1] and found[0].typed == found[1].typed


def test_rows_of_mutants_are_joined_in_their_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for number, found in ((1, [Row(0, ['a/one', 'um', '1: x'], True), Row(2, ['c/three', 'um', 'NOT CAUGHT'], False)]),
                          (2, [Row(1, ['b/two', 'um', '1: y'], True)])):
        env = {'O': str(tmp_path), 'SHARD': f'{number}/2'}
        part = shards.begin('mutants', env)
        rows.save(results(env) / 'mutants.json', found)
        assert part
        shards.end(part, env)
    assert merge.main({'O': str(tmp_path)}) == 1
    printed = capsys.readouterr().out
    assert re.findall(r'\w/\w+', printed.partition('caught by')[2]) == ['a/one', 'b/two', 'c/three']
    assert printed.endswith('2 of 3 caught\n')
    assert len(json.loads((tmp_path / 'mutants.json').read_text())) == 3


def test_a_part_that_was_cut_off_lacks_the_last_cases() -> None:
    cut = LOGS[2][:LOGS[2].index('    ok 2 loop')]
    assert [*re.findall(r'ok \d (\w+)', parts.ktap([LOGS[1], cut]))] == ['one', 'two', 'rows', 'loop', 'ptebatch_fake']
