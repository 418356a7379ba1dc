# SPDX-License-Identifier: GPL-2.0
"""The table of callers, and the search for callers in a kernel tree."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from unit.machine import script
from host import tools
from host.errors import Trouble
from host.settings import PROJECT
from project import callers

TABLE = callers.TABLE.read_text()
RULES = (PROJECT / 'mm/README.md').read_text()

WRAPPERS = '''\
unsigned int folio_pte_batch(struct folio *folio, pte_t *ptep)
{
	return folio_pte_batch_flags(folio, NULL, ptep, 0);
}
'''


def find_callers(tree: Path, **sources: str) -> set[str]:
    """Write these files to mm/ beside folio_pte_batch(), and find the callers."""
    (tree / 'mm').mkdir(exist_ok=True)
    (tree / 'mm/util.c').write_text(WRAPPERS)
    for name, source in sources.items():
        (tree / f'mm/{name}.c').write_text(source)
    return callers.callers(tree)


def test_table_has_all_callers(kernel_source: Path) -> None:
    differences = callers.differences(kernel_source, TABLE)
    assert not differences, '\n'.join(differences)


def test_table_names_existing_suites() -> None:
    suites = {name for source in PROJECT.glob('mm/*.c')
              for name in re.findall(r'\.name = "(ptebatch_\w+)"', source.read_text())}
    covered = callers.covered(TABLE).values()
    assert all(caller.suites for caller in covered)
    missing = {name for caller in covered for name in caller.suites} - suites
    assert not missing, f'no such suites: {" ".join(sorted(missing))}'


def test_named_rules_are_explained() -> None:
    explained = [int(number) for number in re.findall(r'\*\*(\d+)\*\* ', RULES)]
    assert explained == list(range(1, len(explained) + 1))
    for caller in callers.covered(TABLE).values():
        assert caller.rules == sorted(caller.rules) and set(caller.rules) <= set(explained)
    for source in (*PROJECT.glob('lib/*/*.[ch]'), *PROJECT.glob('mm/*.c')):
        for number in re.findall(r'\brules? (\d+)', source.read_text()):
            assert int(number) in explained, source


def test_added_and_removed_callers(tmp_path: Path) -> None:
    find_callers(tmp_path, new='static int fresh(void)\n{\n\tnr = folio_pte_batch(folio, pte);\n}\n')
    header = 'function,suites,rules,checked\n'
    assert callers.differences(tmp_path, header + 'mm/old.c: gone(),ptebatch_old,1,\n') == [
        'mm/new.c: fresh() is not in the table',
        'mm/old.c: gone() is in the table, but no longer calls folio_pte_batch_flags()']
    assert not callers.differences(tmp_path, header + 'mm/new.c: fresh(),ptebatch_new,1 3-5,\n')


@pytest.mark.parametrize('function, source', [
    ('plain', 'int plain(void)\n{\n\tnr = folio_pte_batch(folio, pte);\n}'),
    ('lines', 'static __always_inline unsigned int\n__must_check lines(struct folio *folio,\n\t\tpte_t *pte)\n{\n'
              '\tnr =\n\t\tfolio_pte_batch(folio,\n\t\t\tpte);\n}'),
    ('annotated', 'static void annotated(void) __acquires(x)\n\t__releases(y)\n{\n\tnr = folio_pte_batch(folio, pte);\n}'),
    ('pointer', 'int pointer(struct s *(*get)(int), int b)\n{\n\tnr = get(b) ? folio_pte_batch(folio, pte) : 1;\n}'),
    ('branches', '#ifdef A\nint branches(void)\n{\n\tif (a) {\n#else\nint branches(void)\n{\n\tif (b) {\n#endif\n'
                 '\t\tnr = folio_pte_batch(folio, pte);\n\t}\n}'),
    ('disabled', 'int disabled(void)\n{\n#ifdef A\n\tif (folio_pte_batch(folio, pte))\n\t\treturn 1;\n#endif\n}'),
    ('looped', 'int looped(void)\n{\n\tscoped_guard(x, y) {\n\t\tfor_each(a, b) {\n\t\t\tnr += folio_pte_batch(folio, pte);\n'
               '\t\t}\n\t}\n}\nint other(void)\n{\n}'),
    ('MACRO', '#define MACRO(pte) do {\t\\\n\tfolio_pte_batch(folio, pte);\t\\\n} while (0)'),
    ('SYSCALL_DEFINE1', 'SYSCALL_DEFINE1(call, int, a)\n{\n\tnr = folio_pte_batch(folio, pte);\n}'),
    ('half', 'int half(void)\n{\n\treturn min(folio_pte_batch(folio, pte), 3);\n}'),
])
def test_finds_calls(tmp_path: Path, function: str, source: str) -> None:
    assert find_callers(tmp_path, a=f'int before(void)\n{{\n}}\n{source}\n') == {f'mm/a.c: {function}()'}


def test_ignores_comments_strings_and_declarations(tmp_path: Path) -> None:
    assert find_callers(tmp_path, a='''\
/* folio_pte_batch(folio, pte) */
unsigned int folio_pte_batch(struct folio *folio, pte_t *ptep);
int talks(void)
{
	// folio_pte_batch(folio, pte);
	return pr_info("folio_pte_batch(folio, pte)") + my_folio_pte_batch(pte) + folio_pte_batch_hint;
}
int calls(void)
{
	nr = folio_pte_batch(folio, pte);
}
''') == {'mm/a.c: calls()'}


def test_wrapper_is_not_a_caller(tmp_path: Path) -> None:
    assert find_callers(tmp_path, a='''\
static inline int inner(struct folio *folio, pte_t *pte)
{
	if (!folio_test_large(folio))
		return 1;

	return folio_pte_batch(folio, pte);
}
static inline int outer(struct folio *folio, pte_t *pte)
{
	return inner(folio, pte);
}
static int one(void)
{
	nr = outer(folio, pte);
}
int two(void)
{
	nr = inner(folio, pte);
	nr = outer(folio, pte);
}
''', b='int three(void)\n{\n\tnr = folio_pte_batch_flags(folio, NULL, pte, 0);\n}\n') == {
        'mm/a.c: one()', 'mm/a.c: two()', 'mm/b.c: three()'}


def test_mutually_recursive_wrappers(tmp_path: Path) -> None:
    assert find_callers(tmp_path, a='''\
int ping(void)
{
	return a ? 1 : 2;
	return folio_pte_batch(folio, pte);
	return pong();
}
int pong(void)
{
	return ping();
}
int player(void)
{
	nr = pong();
}
''') == {'mm/a.c: player()'}


def test_helper_called_by_pointer_is_a_caller(tmp_path: Path) -> None:
    assert find_callers(tmp_path, a='''\
static int helper(struct folio *folio, pte_t *pte)
{
	return folio_pte_batch(folio, pte);
}
static struct ops ops = { .batch = helper, };
''') == {'mm/a.c: helper()'}


def test_searches_headers_and_drivers(tmp_path: Path) -> None:
    for file in ('drivers/gpu/a.h', 'a.c', 'drivers/a.rst'):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text('static inline int f(void)\n{\n\tnr = folio_pte_batch(folio, pte);\n}\n')
    assert find_callers(tmp_path) == {'drivers/gpu/a.h: f()', 'a.c: f()'}


def test_tree_is_not_modified(tmp_path: Path) -> None:
    find_callers(tmp_path, a='int f(void)\n{\n\tfolio_pte_batch(folio, pte);\n}\n')
    assert sorted(path.name for path in tmp_path.rglob('*')) == ['a.c', 'mm', 'util.c']


def test_folder_without_kernel(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=': no call of folio_pte_batch_flags.* found'):
        callers.callers(tmp_path)
    with pytest.raises(Trouble, match=': not a folder'):
        callers.callers(tmp_path / 'none')


def test_unreadable_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / 'grep', 'echo grep: mm: Permission denied; exit 2\n')
    monkeypatch.setenv('PATH', str(tmp_path), prepend=':')
    with pytest.raises(Trouble, match='cannot search: grep: mm: Permission denied'):
        callers.callers(tmp_path)


def program(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*tools.program('callers'), *args], text=True, capture_output=True, check=False)


def test_callers_command(tmp_path: Path) -> None:
    for args, message in (((), 'expected one kernel tree; type for example'), ((tmp_path / 'none',), ': not a folder')):
        ended = program(*args)
        assert ended.returncode == 2 and message in ended.stderr and ended.stderr.count('\n') == 1
    find_callers(tmp_path, a='int fresh(void)\n{\n\tnr = folio_pte_batch(folio, pte);\n}\n')
    ended = program(tmp_path)
    assert ended.returncode == 1 and 'mm/a.c: fresh() is not in the table\n' in ended.stdout


def test_tree_that_matches_the_table(tmp_path: Path) -> None:
    sources: dict[str, str] = {}
    for caller in callers.covered(TABLE):
        match = re.fullmatch(r'mm/(\w+)\.c: (\w+)\(\)', caller)
        assert match, caller
        sources.setdefault(match[1], '')
        sources[match[1]] += f'int {match[2]}(void)\n{{\n\tnr = folio_pte_batch(folio, pte);\n}}\n'
    find_callers(tmp_path, **sources)
    ended = program(tmp_path)
    assert (ended.returncode, ended.stdout) == (0, 'all callers are covered\n')
