# SPDX-License-Identifier: GPL-2.0
"""Coverage: the counters in a boot log, the lines of functions, and `make coverage` with a replaced gcovr."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from guests.guest import Guest
from host.errors import Trouble
from host.settings import Settings
from project import batched
from results import coverage
from unit.machine import HALTED, KTAP, Machine, print_log

SOURCE = '''\
static int
move_ptes(struct mm_struct *mm,
	  pte_t *pte);

static int
move_ptes(struct mm_struct *mm,
	  pte_t *pte)
{
	if (!pte)
		return -EAGAIN;
	for (;;) {
		pte++;
	}
}

static void remove_ptes(void)
{
	move_ptes(NULL, NULL);
}
'''
NAME = 'mm/mremap.c: move_ptes()'
GCDA = '''\
[    1.0] ptebatch: gcda of /a tree/.kunit-um-coverage/mm/mremap.gcda, 3 bytes
[    1.0] ptebatch: gcda 00ff
[    1.0] ptebatch: gcda 10
[    1.0] ptebatch: gcda of /a tree/.kunit-um-coverage/drivers/base/memory.gcda, 0 bytes
[    1.0] ptebatch: gcda end
'''
# A gcovr that writes a report of one function; the arguments are kept.
GCOVR = r'''echo "$@" >"$0.args"
for folder; do :; done
find "$folder" -type f | sed "s|$folder/||" | sort >"$0.files"
while [ "$1" != --json ]; do shift; done
cat >"$2" <<'JSON'
{"files": [{"file": "mm/mremap.c", "lines": [%s]}]}
JSON
'''


def report(counts: dict[int, int]) -> str:
    return ', '.join(json.dumps({'line_number': line, 'count': count}) for line, count in counts.items())


def test_counters_in_a_boot_log() -> None:
    log = KTAP + GCDA + HALTED
    path = '/a tree/.kunit-um-coverage/mm/mremap.gcda'
    assert coverage.counters(log)[path] == b'\0\xff\x10'
    assert coverage.without_counters(log) == KTAP + HALTED


@pytest.mark.parametrize('log', [
    '', GCDA.replace('gcda end', ''), GCDA.replace('gcda 10', ''), GCDA.replace('3 bytes', '4 bytes'), GCDA.partition('\n')[2],
], ids=['none', 'no end', 'a line lost', 'too short', 'cut off at the beginning'])
def test_incomplete_counters(log: str) -> None:
    with pytest.raises(Trouble, match='the boot log has no complete counters.*; see the end of boot.log'):
        coverage.counters(log)


def test_report_of_gcovr(tmp_path: Path) -> None:
    path = tmp_path / 'coverage.json'
    path.write_text(json.dumps({'files': [{'file': 'mm/a.c', 'lines': [
        {'line_number': 1, 'count': 0}, {'line_number': 1, 'count': 2, 'function_name': 'inlined'},
        {'line_number': 2, 'count': 0, 'gcovr/noncode': True}]}]}))
    assert coverage.read_counts(path) == {'mm/a.c': {1: 2}}


def functions(tmp_path: Path, counts: dict[int, int]) -> list[coverage.Function]:
    (tmp_path / 'mm').mkdir()
    (tmp_path / 'mm/mremap.c').write_text(SOURCE)
    return coverage.functions(tmp_path, [NAME, 'mm/mremap.c: ptes()', 'mm/none.c: none()'], {'mm/mremap.c': counts})


def test_lines_of_a_function(tmp_path: Path) -> None:
    move, unknown, no_file = functions(tmp_path, {6: 3, 9: 3, 10: 0, 12: 3, 16: 0})
    assert move.counts == {6: 3, 9: 3, 10: 0, 12: 3}
    assert move.row() == [NAME, '4', '3', '75']
    assert move.not_reached() == ['mm/mremap.c:10:\t\treturn -EAGAIN;']
    assert not unknown.counts and not no_file.counts


def test_text(tmp_path: Path) -> None:
    text = coverage.text(functions(tmp_path, {6: 3, 10: 0}))
    assert f'| {NAME} |     2 |       1 |   50 |' in text
    assert f'not reached in {NAME}\n\n    mm/mremap.c:10:\t\treturn -EAGAIN;' in text
    assert 'not in this kernel:\n\n    mm/mremap.c: ptes()\n    mm/none.c: none()' in text


def test_text_without_gaps(tmp_path: Path) -> None:
    found = functions(tmp_path, {6: 3, 10: 1})
    assert 'not' not in coverage.text(found[:1])


def test_batched_functions(kernel_source: Path) -> None:
    names = batched.functions()
    assert NAME in names and 'mm/internal.h: folio_pte_batch_flags()' in names and len({*names}) == len(names)
    assert Path('mm/mremap.c') in batched.sources() and Path('mm/internal.h') not in batched.sources()
    missing = [function.name for function in coverage.functions(kernel_source, names, {}) if not function.source]
    assert not missing, f'not in this kernel: {" ".join(missing)}; correct tests/project/helpers.txt'


def covered(machine: Machine, log: str, counts: dict[int, int]) -> None:
    """A machine whose guest prints this log and whose gcovr reports these counts."""
    (machine.tree / 'mm/mremap.c').write_text(SOURCE)
    makefile = machine.tree / 'Makefile'
    makefile.write_text(makefile.read_text() + '\t@mkdir -p $(O)/mm && touch $(O)/mm/mremap.gcno\n')
    machine.guest(print_log(log))
    machine.program('gcovr', GCOVR % report(counts))


def test_coverage(machine: Machine) -> None:
    covered(machine, KTAP + GCDA + HALTED, {6: 3, 10: 0})
    ended = machine.run('coverage')
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '\n    mm/mremap.c:10:\t\treturn -EAGAIN;\n' in ended.stdout
    folder = machine.out / 'um'
    assert sorted(path.name for path in folder.iterdir() if path.name[0] != '.') == ['coverage', 'coverage.json', 'coverage.md']
    assert (folder / 'coverage.md').read_text() in ended.stdout
    assert (folder / 'coverage/boot.log').read_text() == KTAP + HALTED
    args = (machine.bin / 'gcovr.args').read_text()
    assert f'--html-details {folder}/coverage/index.html' in args and r'--filter=(.*/)?mm/mremap\.c$' in args
    assert (machine.bin / 'gcovr.files').read_text() == 'mm/mremap.gcda\nmm/mremap.gcno\n'


def test_only_the_batched_files_count(machine: Machine) -> None:
    settings = Settings.read(machine.env()).for_coverage([Path('mm/rmap.c')])
    guest, other = Guest(settings, machine.tree), Guest(machine.settings(), machine.tree)
    assert guest._variables() == ['GCOV_PROFILE_rmap.o=$(if $(filter mm,$(obj)),y)',
                                  'CFLAGS_rmap.o=$(if $(filter mm,$(obj)),-fno-early-inlining)']
    assert '--kconfig_add=CONFIG_GCOV_KERNEL=y' in guest._common()
    assert not [option for option in other._common() + other._variables() if 'GCOV' in option]


def test_failed_case(machine: Machine) -> None:
    covered(machine, KTAP.replace('    ok 2', '    not ok 2') + GCDA + HALTED, {6: 1})
    ended = machine.run('coverage')
    assert ended.returncode == 1 and '| all ' in ended.stdout


@pytest.mark.parametrize(('log', 'status', 'message'), [
    (KTAP + HALTED, 2, 'ptebatch: the boot log has no complete counters; see the end of boot.log'),
    (KTAP.replace('    ok 2', '    not ok 2') + HALTED, 1, '[FAILED] nothing measured: the boot log has no complete counters'),
])
def test_guest_without_counters(machine: Machine, log: str, status: int, message: str) -> None:
    covered(machine, log, {})
    ended = machine.run('coverage')
    assert ended.returncode == status
    assert message in ended.stdout + ended.stderr
    assert not (machine.out / 'um/coverage.md').exists()


def test_gcovr_fails(machine: Machine) -> None:
    covered(machine, KTAP + GCDA + HALTED, {})
    machine.program('gcovr', 'echo "(ERROR) version mismatch"; exit 1\n')
    ended = machine.run('coverage')
    assert ended.returncode == 2
    assert 'gcovr cannot read the counters: (ERROR) version mismatch; see the lines above; gcov --version' in ended.stderr


def test_gcov_cannot_read_a_file(machine: Machine) -> None:
    covered(machine, KTAP + GCDA + HALTED, {})
    machine.program('gcovr', 'echo "(WARNING) version mismatch"\n' + (GCOVR % '').replace('mm/mremap.c', 'mm/rmap.c'))
    ended = machine.run('coverage')
    assert ended.returncode == 2 and '(WARNING) version mismatch' in ended.stdout
    assert 'gcovr reports no lines of mm/mremap.c; ' in ended.stderr


@pytest.mark.parametrize(('variables', 'message'), [
    ({'ARCH': 'x86_64', 'LOADABLE': '1'}, 'LOADABLE= and DEBUG= do not apply to make coverage; leave them out'),
    ({'ARCH': 'x86_64', 'DEBUG': '1'}, 'LOADABLE= and DEBUG= do not apply to make coverage; leave them out'),
    ({'ARCH': 'arm64'}, 'ARCH=arm64: not supported by make coverage; type ARCH=um or ARCH=x86_64'),
])
def test_variables_that_do_not_apply(variables: dict[str, str], message: str) -> None:
    with pytest.raises(Trouble, match=message):
        Settings.read(variables).for_coverage([Path('mm/rmap.c')])
