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
from project import called, callers

KNOWN = callers.tables()
RULES = (PROJECT / 'mm/README.md').read_text()
NOTHING = callers.Tables({}, [], {})

# The function that all of the sources below call.
BATCH = '''\
unsigned int folio_pte_batch(struct folio *folio, pte_t *ptep, pte_t pte, unsigned int max_nr)
{
	return 1;
}
'''


def find(tree: Path, known: callers.Tables = NOTHING, **sources: str) -> set[str]:
    """Write these files to mm/ beside folio_pte_batch(), and find the other functions that handle several PTEs."""
    (tree / 'mm').mkdir(exist_ok=True)
    (tree / 'mm/util.c').write_text(BATCH)
    for name, source in sources.items():
        (tree / f'mm/{name}.c').write_text(source)
    return callers.functions(tree, known) - {'mm/util.c: folio_pte_batch()'}


def test_tables_have_all_functions(kernel_source: Path) -> None:
    differences = callers.differences(kernel_source, KNOWN)
    assert not differences, '\n'.join(differences)


def test_tables_have_what_they_call(kernel_source: Path) -> None:
    differences = called.differences(lambda file: (kernel_source / file).read_text())
    assert not differences, '\n'.join(differences)


def test_reasons_and_order() -> None:
    assert all(len(reason) > 5 for reason in called.left_out().values())
    assert called.TABLE.read_text().splitlines() == sorted(called.TABLE.read_text().splitlines())
    assert all(len(reason) > 5 for reason in KNOWN.not_batched.values())
    for _, titles in KNOWN.files():
        assert [*titles] == sorted(titles)


def test_table_names_existing_suites() -> None:
    suites = {f'ptebatch_{name}' for source in PROJECT.glob('mm/*.c')
              for name in re.findall(r'(?:\.name = "ptebatch_|PTEBATCH_SUITE\()(\w+)', source.read_text())}
    covered = KNOWN.covered.values()
    assert all(caller.suites for caller in covered)
    missing = {name for caller in covered for name in caller.suites} - suites
    assert not missing, f'no such suites: {" ".join(sorted(missing))}'


def test_named_rules_are_explained() -> None:
    explained = [int(number) for number in re.findall(r'\*\*(\d+)\*\* ', RULES)]
    assert explained == list(range(1, len(explained) + 1))
    for caller in KNOWN.covered.values():
        assert caller.rules == sorted(caller.rules) and set(caller.rules) <= set(explained)
    for source in (*PROJECT.glob('lib/*/*.[ch]'), *PROJECT.glob('mm/*.c')):
        for number in re.findall(r'\brules? (\d+)', source.read_text()):
            assert int(number) in explained, source


def test_differences(tmp_path: Path) -> None:
    find(tmp_path, new='static int fresh(void)\n{\n\tnr = folio_pte_batch(folio, pte);\n}\n')
    util = 'mm/util.c: folio_pte_batch()'
    table = 'function,suites,rules,checked\nmm/old.c: gone(),ptebatch_old,1,\n'
    known = callers.Tables(callers.covered(table), [util, 'mm/util.c: gone()'], {'mm/old.c: gone()': 'one PTE'})
    assert callers.differences(tmp_path, known) == [
        'mm/new.c: fresh() handles several PTEs, but is in no table',
        'mm/old.c: gone() is in callers.csv, but handles one PTE at a time, or does not exist',
        'mm/util.c: gone() is in helpers.txt, but handles one PTE at a time, or does not exist',
        'mm/old.c: gone() is in not_batched.csv, but handles one PTE at a time, or does not exist',
        'mm/old.c: gone() is in more than one table']
    covered = callers.covered('function,suites,rules,checked\nmm/new.c: fresh(),ptebatch_new,1 3-5,\n')
    assert covered['mm/new.c: fresh()'] == callers.Covered(['ptebatch_new'], [1, 3, 4, 5])
    assert not callers.differences(tmp_path, callers.Tables(covered, [util], {}))


@pytest.mark.parametrize('function, source', [
    ('set_ptes', 'static inline void set_ptes(struct mm_struct *mm, unsigned long addr,\n\t\tpte_t *ptep, pte_t pte, unsigned int nr)\n'
                 '{\n}'),
    ('wrprotect', 'void wrprotect(pte_t *ptep, int nr_ptes)\n{\n}'),
    ('move', 'static long move(pte_t *dst, pte_t *src,\n\t\tunsigned long len)\n{\n}'),
    ('contig', 'static pte_t contig(pte_t *ptep, unsigned long ncontig)\n{\n}'),
    ('folio_x_rmap_ptes', 'void folio_x_rmap_ptes(struct folio *folio, struct page *page, int nr)\n{\n\tpte_t pte;\n}'),
    ('hinted', 'void hinted(pte_t *ptep)\n{\n\tnr = pte_batch_hint(ptep, pte);\n}'),
])
def test_finds_definitions_and_hints(tmp_path: Path, function: str, source: str) -> None:
    assert find(tmp_path, a=f'{source}\nint one(pte_t *pte, unsigned long end, int other)\n{{\n}}\n') == {f'mm/a.c: {function}()'}


def test_follows_helpers_only(tmp_path: Path) -> None:
    source = '''\
static void set_range(struct vm_fault *vmf)
{
	nr = folio_pte_batch(folio, pte);
}
void decides(struct vm_fault *vmf)
{
	set_range(vmf);
}
void calls(struct vm_fault *vmf)
{
	decides(vmf);
}
'''
    assert find(tmp_path, a=source) == {'mm/a.c: set_range()'}
    helper = callers.Tables({}, ['mm/a.c: set_range()'], {})
    assert find(tmp_path, helper, a=source) == {'mm/a.c: set_range()', 'mm/a.c: decides()'}
    ends = callers.Tables({}, [], {'mm/util.c: folio_pte_batch()': 'one PTE'})
    assert find(tmp_path, ends, a=source) == set()


def test_other_architectures_are_not_searched(tmp_path: Path) -> None:
    for arch in ('arm64', 'riscv'):
        (tmp_path / f'arch/{arch}/mm').mkdir(parents=True)
        (tmp_path / f'arch/{arch}/mm/a.c').write_text('void set(pte_t *ptep, int nr)\n{\n}\n')
    assert find(tmp_path) == {'arch/arm64/mm/a.c: set()'}


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
    assert find(tmp_path, a=f'int before(void)\n{{\n}}\n{source}\n') == {f'mm/a.c: {function}()'}


def test_ignores_comments_strings_and_declarations(tmp_path: Path) -> None:
    assert find(tmp_path, a='''\
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


def test_searches_headers_and_drivers(tmp_path: Path) -> None:
    for file in ('drivers/gpu/a.h', 'a.c', 'drivers/a.rst'):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text('static inline int f(void)\n{\n\tnr = folio_pte_batch(folio, pte);\n}\n')
    assert find(tmp_path) == {'drivers/gpu/a.h: f()', 'a.c: f()'}


def test_tree_is_not_modified(tmp_path: Path) -> None:
    find(tmp_path, a='int f(void)\n{\n\tfolio_pte_batch(folio, pte);\n}\n')
    assert sorted(path.name for path in tmp_path.rglob('*')) == ['a.c', 'mm', 'util.c']


def test_folder_without_kernel(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=': no function handles several PTEs'):
        callers.functions(tmp_path, NOTHING)
    with pytest.raises(Trouble, match=': not a folder'):
        callers.functions(tmp_path / 'none', NOTHING)


def test_unreadable_tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script(tmp_path / 'grep', 'echo grep: mm: Permission denied; exit 2\n')
    monkeypatch.setenv('PATH', str(tmp_path), prepend=':')
    with pytest.raises(Trouble, match='cannot search: grep: mm: Permission denied'):
        callers.functions(tmp_path, NOTHING)


def program(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*tools.program('callers'), *args], text=True, capture_output=True, check=False)


def test_callers_command(tmp_path: Path) -> None:
    for args, message in (((), 'expected one kernel tree; type for example'), ((tmp_path / 'none',), ': not a folder')):
        ended = program(*args)
        assert ended.returncode == 2 and message in ended.stderr and ended.stderr.count('\n') == 1
    find(tmp_path, a='int fresh(void)\n{\n\tnr = folio_pte_batch(folio, pte);\n}\n')
    ended = program(tmp_path)
    assert ended.returncode == 1 and 'mm/a.c: fresh() handles several PTEs, but is in no table\n' in ended.stdout


def test_tree_that_matches_the_tables(kernel_source: Path) -> None:
    ended = program(kernel_source)
    assert (ended.returncode, ended.stdout) == (0, 'all functions are covered\n')
