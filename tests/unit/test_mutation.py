# SPDX-License-Identifier: GPL-2.0
"""make mutation: the operators, the kernel source with all mutants, and the verdicts."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from commands import mutation, mutation_bench, redundant
from host.console import Console
from host.errors import Trouble
from host.architecture import ARCHES
from host.settings import PROJECT, Settings
from host.shard import Shard
from host import wheels
from mutation import assembly, catalog, guest, record, weave
from mutation.functions import arguments, definitions
from mutation.record import Record, Verdict
from results.timing import Timing
from trees import series

SOURCE = '''\
#define likely(x) (x)
int clear(int *p, int nr);

static inline int count(int *p, int *q, int nr)
{
	int i, found = 0;

	for (i = 0; i < nr; i++) {
		if (likely(p[i] == q[i]) && p[i])
			found += 1;
		else
			clear(p, nr);
	}
	return found;
}

int both(int *p, int *q, int nr)
{
	return count(p, q, nr) + count(q, p, nr);
}
'''


@pytest.fixture(autouse=True, scope='module')
def grammar() -> None:
    wheels.ensure(Settings.read(os.environ).cache, Console())


def read(name: str) -> str:
    return SOURCE if name == 'a.c' else ''


def mutants() -> list[weave.Mutant]:
    return catalog.mutants(['a.c: count()', 'a.c: both()'], read)


def diffs(operator: str) -> list[str]:
    """The changed lines of an operator's mutants of count()."""
    return [re.sub(r'\s+', ' ', mutant.diff().split('\n')[-1][1:]).strip() for mutant in mutants()
            if mutant.change.operator == operator and mutant.function.name == 'count']


def test_operators() -> None:
    assert diffs('relational') == ['for (i = 0; i <= nr; i++) {', 'for (i = 0; i >= nr; i++) {', 'if (likely(p[i] != q[i]) && p[i])']
    assert diffs('increment') == ['for (i = 0; i < nr; i--) {']
    assert diffs('assignment') == ['found -= 1;']
    assert diffs('logical') == ['if (likely(p[i] == q[i]) || p[i])']
    assert diffs('negation added') == ['if (likely(p[i] == q[i]) && !(p[i]))']
    assert diffs('returned value') == ['return 0;', 'return 1;']
    assert diffs('call deleted') == [';']
    assert diffs('arguments swapped') == ['clear(nr, p);']
    assert 'if (0)' in diffs('condition forced') and 'if (1)' in diffs('condition forced')


# The operators, as the records name them, but that a negation may be dropped or added.
SLIPS = ('relational', 'arithmetic', 'bitwise', 'logical', 'condition forced', 'negation', 'constant', 'statement deleted', 'call deleted',
         'jump deleted', 'jump exchanged', 'assignment', 'increment', 'returned value', 'arguments swapped')
MISTAKES_OF_PEOPLE = ('variable', 'sibling', 'statements exchanged', 'statement moved', 'branch dropped', 'exit added', 'read before lock',
                      'limit dropped', 'iteration skipped', 'progress forgotten')

MISTAKES = '''\
static int f(struct vm_area_struct *vma, unsigned long addr, unsigned long end, pte_t *ptep, int nr)
{
	struct mm_struct *mm = vma->vm_mm;
	pte_t oldpte, newpte;
	int max_nr, done = 0;

retry:
	flush(vma);
	spin_lock(ptl);
	flush(mm);
	oldpte = ptep_get(ptep);
	newpte = pte_mkyoung(oldpte);
	max_nr = min_t(int, pmd_addr_end(addr, end) - addr, 8);
	if (pte_uffd(newpte) && max_nr) {
		dec_mm_counter(mm, MM_ANONPAGES);
		done += max_nr;
	} else {
		pte_free(mm, newpte);
	}
	done++;
	if (vma->vm_start == addr)
		goto retry;
	for (; addr != end; addr += PAGE_SIZE)
		if (nr)
			touch(vma->vm_end);
	switch (nr) {
	case 1:
		return done;
	}
	return 0;
}
'''


def mistakes(operator: str) -> list[str]:
    """The changes of an operator of people: the lines that are new."""
    found = catalog.mutants(['a.c: f()'], lambda name: MISTAKES)
    return [' '.join(' '.join(line[1:] for line in mutant.diff().split('\n') if line.startswith('+')).split())
            for mutant in found if mutant.change.operator == operator]


@pytest.mark.parametrize(('operator', 'expected', 'unexpected'), [
    ('variable', ['if (vma->vm_end == addr)', 'max_nr = min_t(int, pmd_addr_end(addr, vma->vm_start) - addr, 8);',
                  'if (pte_uffd(newpte) && nr) {', 'pte_free(mm, oldpte);'],
     # With itself, of another type, without a value yet.
     ['for (; addr != addr; addr += PAGE_SIZE)', 'if (vma->vm_start == vma->vm_start)', 'spin_lock(mm);', 'newpte = pte_mkyoung(newpte);']),
    ('sibling', ['newpte = pte_mkold(oldpte);', 'if (pte_swp_uffd(newpte) && max_nr) {', 'inc_mm_counter(mm, MM_ANONPAGES);',
                 'dec_mm_counter(mm, MM_SWAPENTS);'], ['spin_lock(newpte);']),
    ('statements exchanged', ['oldpte = ptep_get(ptep);', 'newpte = pte_mkyoung(oldpte);'], []),
    ('statement moved', ['done++; } else {'], []),
    ('branch dropped', ['}', ''], []),
    ('exit added', ['return 0; } else {', '{ touch(vma->vm_end); continue; }'], []),
    ('read before lock', ['oldpte = ptep_get(ptep); spin_lock(ptl);'], []),
    ('limit dropped', ['max_nr = ((int)(pmd_addr_end(addr, end) - addr));', 'max_nr = ((int)(8));',
                       'max_nr = min_t(int, end - addr, 8);'], []),
    ('iteration skipped', ['for (; addr < end - PAGE_SIZE; addr += PAGE_SIZE)'], []),
    ('progress forgotten', ['flush(vma); retry: ;'], []),
])
def test_mistakes_of_people(operator: str, expected: list[str], unexpected: list[str]) -> None:
    found = mistakes(operator)
    assert not {*expected} - {*found} and not {*unexpected} & {*found}, found


def test_fixes_name_operators() -> None:
    """The table of fixes: an operator that exists or the reason why there is none; the documents have its figures."""
    with (PROJECT / 'tests/mutation/fixes.csv').open(newline='') as file:
        rows = [*csv.DictReader(file)]
    text = (PROJECT / 'tests/README.md').read_text()
    within = [row for row in rows if not row['operator'].startswith('none: ')]
    assert {row['operator'] for row in within} <= {*SLIPS, *MISTAKES_OF_PEOPLE}
    assert len({row['fix'] for row in rows}) == len(rows)
    assert all(re.fullmatch(r'[0-9a-f]{12}|', row['commit']) and re.fullmatch(r'[67]\.\d+', row['version']) for row in rows)
    assert f'lists {len(rows)} of them' in text and f'{len(within)} are within reach' in text
    assert f'{sum(row["operator"] in MISTAKES_OF_PEOPLE for row in rows)} of them of the operators in the last seven rows' in text
    assert f'{sum(row["operator"] == "condition forced" for row in rows)} of a forced condition' in text


def test_operators_are_selected() -> None:
    found = catalog.selected(['a.c: f()'], {'OPERATORS': 'limit*, call deleted'}, lambda name: MISTAKES)
    assert {mutant.change.operator for mutant in found} == {'limit dropped', 'call deleted'}
    with pytest.raises(Trouble, match='OPERATORS=jokes makes no change'):
        catalog.selected(['a.c: f()'], {'OPERATORS': 'jokes'}, lambda name: MISTAKES)


def test_operators_leave_preprocessor_lines_alone() -> None:
    text = b'void f(void)\n{\n\tg(1,\n#ifdef A\n\t  2);\n#else\n\t  3);\n#endif\n}'
    assert all(b'#' not in text[change.start:change.end] for change in catalog.changes(text))


def test_assertions_and_symmetric_calls_have_no_changes() -> None:
    text = b'void f(int a, int b, int c)\n{\n\tVM_WARN_ON(c < 1);\n\tmmap_assert_locked(c);\n\tif (pte_same(a, b))\n\t\tg(b);\n}'
    found = [text[change.start:change.end] for change in catalog.changes(text)]
    assert found and not {b'<', b'1', b'c', b'a, b', b'mmap_assert_locked(c);'} & {*found}


def test_keys_outlive_lines_above() -> None:
    function = next(definitions('a.c', SOURCE, 'count'))
    moved = next(definitions('a.c', '\n\n' + SOURCE, 'count'))
    assert moved.line == function.line + 2
    assert [mutant.key for mutant in mutants()] == [mutant.key for mutant in catalog.mutants(
        ['a.c: count()', 'a.c: both()'], lambda name: '\n\n' + SOURCE)]
    assert len({mutant.key for mutant in mutants()}) == len(mutants())


def test_patch_as_copies() -> None:
    """A patch of functions becomes copies of them; one that changes something else does not."""
    changed = SOURCE.replace('found += 1', 'found += 2').replace('count(q, p, nr)', 'count(p, q, nr)')
    copies = catalog.of_patch(7, {'a.c': changed}, read)
    assert [(copy.name, copy.text in changed) for copy in copies] == [('count__m7', True), ('both__m7', True)]
    assert not catalog.of_patch(7, {'a.c': changed.replace('likely(x) (x)', 'likely(x) !(x)')}, read)
    assert not catalog.of_patch(7, {'a.c': SOURCE.replace('both(int *p', 'both(const int *p')}, read)


@pytest.mark.parametrize(('parameters', 'names'), [
    ('(void)', []), ('()', []),
    ('(struct file *file, const char __user *buf,\n\t\tsize_t count, loff_t *ppos)', ['file', 'buf', 'count', 'ppos']),
    ('(const void __user * __user *pages, int __user *status)', ['pages', 'status']),
    ('(unsigned long addr, __always_unused int depth, struct mm_walk *walk __maybe_unused)', ['addr', 'depth', 'walk']),
    ('(unsigned long long a, unsigned b, long int c, _Bool d)', ['a', 'b', 'c', 'd']),
    ('(int (*fn)(struct page *, void *), void (*const *fns[2])(int, int), int n)', ['fn', 'fns', 'n']),
    ('(pte_t ptes[static 4], char names[][8], int (*rows)[4])', ['ptes', 'names', 'rows']),
    ('(int a __attribute__((unused)), void *p __counted_by(a))', ['a', 'p']),
    ('(enum pgtable_level level /* of the entry, not none */, struct { int a; } *p)', None),
    ('(union u u, bool full, const pte_t *const restrict ptep)', ['u', 'full', 'ptep']),
    ('(int __restart, pte_t *__ptep)', ['__restart', '__ptep']),
    # No other function can hand these over.
    ('(const char *format, ...)', None), ('(int, int b)', None), ('(struct page *)', None), ('(unsigned long)', None),
    ('(pte_t)', None), ('(struct folio)', None), ('(mlock, unsigned long, start, size_t, len)', None), ('(init_mempool)(int a)', None),
    ('(DECL_PARAMS(size, token), int flags)', None), ('(fn(int))', None),
])
def test_names_of_parameters(parameters: str, names: list[str] | None) -> None:
    assert arguments(parameters) == names


HARD = """\
#define __user __attribute__((noderef))
#define __maybe_unused __attribute__((unused))
typedef unsigned long size_t;
static long from(int (*get)(const char *), const char __user *buf, long pair[2],
\t\tsize_t count __maybe_unused)
{
\treturn get((const char *)buf) + pair[0];
}
static int printed(const char *format, ...)
{
\treturn format[0] + 1;
}
int use(int (*get)(const char *), const char *buf, long *pair)
{
\treturn from(get, buf, pair, 1) + printed(buf, 1);
}
"""


def test_woven_parameters(tmp_path: Path) -> None:
    """The dispatcher hands over what the kernel's declarations have; a function whose parameters have no names is refused."""
    copies = catalog.of_patch(1, {'a.c': HARD.replace('pair[0]', 'pair[1]')}, lambda name: HARD)
    variadic = catalog.of_patch(2, {'a.c': HARD.replace('+ 1;', '+ 2;')}, lambda name: HARD)
    assert weave.refused([*copies, *variadic]) == {2}
    source = tmp_path / 'a.c'
    source.write_text(weave.woven(HARD, copies))
    subprocess.run(['gcc', '-O2', '-Wall', '-Werror', '-Wno-attributes', '-fsyntax-only', source], check=True)


INLINE = """\
#define __compiletime_assert(condition, msg, prefix, suffix) do { \\
	extern void prefix(void) __attribute__((error(msg))); if (!(condition)) prefix(); } while (0)
#define __maybe_unused __attribute__((unused))
#define __always_inline inline __attribute__((always_inline))
static __always_inline int pages(int level)
{
	__compiletime_assert(level < 2, "no such level", bad, );
	return level ? 512 : 1;
}
int use(void)
{
	return pages(1);
}
"""


def test_woven_build_bug(tmp_path: Path) -> None:
    """The copy of a function that demands a constant argument compiles."""
    source = tmp_path / 'a.c'
    definitions, code = INLINE.split('static ', 1)
    (tmp_path / 'definitions.h').write_text(definitions)
    code = 'static ' + code
    copies = catalog.of_patch(1, {'a.c': code.replace('512', '511')}, lambda name: code)
    woven = weave.woven(code, copies)
    source.write_text(woven)
    command: list[str | Path] = ['gcc', '-O2', '-Wall', '-Werror', '-Wno-attributes', '-include', tmp_path / 'definitions.h',
                                 '-c', source, '-o', '/dev/null']
    subprocess.run(command, check=True)
    source.write_text(woven.removeprefix(weave.AT_RUN_TIME))
    assert subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode


def test_errors_of_a_dispatcher_name_its_copies(tmp_path: Path) -> None:
    copies = catalog.of_patch(7, {'a.c': SOURCE.replace('found += 1', 'found += 2')}, read)
    others = catalog.of_patch(8, {'a.c': SOURCE.replace('count(q, p, nr)', 'count(p, q, nr)')}, read)
    source = tmp_path / 'a.c'
    source.write_text('#define __maybe_unused\n' + weave.woven(SOURCE, [*copies, *others]).replace('count__m7(p, ', 'count__m7('))
    errors = subprocess.run(['gcc', '-fsyntax-only', source], text=True, capture_output=True, check=False).stderr
    assert 'too few arguments' in errors and weave.wrong([*copies, *others], errors) == {7}


def test_copies_that_call_what_is_not_declared(tmp_path: Path) -> None:
    """The compiler names the first."""
    copies = [copy for number, new in ((7, 'missing(q, nr)'), (8, 'missing(nr, q)'), (9, 'count(q, p, nr, 1)'))
              for copy in catalog.of_patch(number, {'a.c': SOURCE.replace('count(q, p, nr)', new)}, read)]
    source = tmp_path / 'a.c'
    source.write_text('#define __maybe_unused\n' + weave.woven(SOURCE, copies))
    errors = subprocess.run(['gcc', '-Werror=implicit-function-declaration', '-fsyntax-only', source], text=True,
                            capture_output=True, check=False, env={**os.environ, 'LC_ALL': 'C'}).stderr
    assert errors.count('implicit declaration') == 1 and weave.wrong(copies, errors) == {7, 8, 9}


WARNING_AND_ERRORS = """\
mutant/1/mm/a.c: In function 'f__m1':
mutant/1/mm/a.c:5:6: warning: unused variable 'i' [-Wunused-variable]
    5 |  int i;
      |      ^
In function 'checks',
    inlined from 'g__m2' at mutant/2/mm/a.c:9:2:
include/linux/compiler_types.h:702:45: error: call to '__compiletime_assert_1' declared with attribute error: BUILD_BUG failed
include/linux/build_bug.h:60:21: note: in expansion of macro 'BUILD_BUG_ON_MSG'
mutant/3/mm/a.c:20:3: note: in expansion of macro 'BUILD_BUG'
  CC      mm/b.o
mutant/4/mm/b.c: In function 'h__m4':
mutant/4/mm/b.c:7:1: warning: label 'out' defined but not used [-Wunused-label]
"""


def test_a_copy_with_a_warning_compiles() -> None:
    copies = catalog.of_patch(1, {'a.c': SOURCE.replace('found += 1', 'found += 2')}, read)
    assert weave.wrong(copies, WARNING_AND_ERRORS) == {2, 3}


def test_chosen() -> None:
    names = ['mm/a.c: f_batch()', 'mm/b.c: g()', 'arch/x.c: f_batch()']
    assert catalog.chosen(names, 'mm/*', '') == names[:2]
    assert catalog.chosen(names, '', '*batch* g') == names
    assert catalog.chosen(names, 'mm/b.c arch/*', '*batch*') == names[2:]
    with pytest.raises(Trouble, match='FILES= and FUNCTIONS= select no function'):
        catalog.chosen(names, 'mm/c.c', '')


def compiled(tmp_path: Path, good: list[weave.Mutant]) -> subprocess.CompletedProcess[str]:
    """The result of gcc for the woven source."""
    source = tmp_path / 'a.c'
    source.write_text('#define __maybe_unused __attribute__((unused))\n' + weave.woven(SOURCE, good))
    return subprocess.run(['gcc', '-O2', '-S', '-fkeep-static-functions', '-Werror=int-conversion', '-o', tmp_path / 'a.s', source],
                          capture_output=True, text=True, check=False)


def test_woven_source(tmp_path: Path) -> None:
    """Errors name their mutants; the other copies compile, and equal code is found."""
    everything = mutants()
    errors = compiled(tmp_path, everything)
    broken = {int(number) for number in re.findall(r'\bmutant/(\d+)/', errors.stderr)}
    assert {mutant.change.operator for mutant in everything if mutant.number in broken} == {'arguments swapped'}
    good = [mutant for mutant in everything if mutant.number not in broken]
    result = compiled(tmp_path, good)
    assert not result.returncode, result.stderr
    digests = dict(assembly.digests((tmp_path / 'a.s').read_text()))
    assert {mutant.name for mutant in good} <= digests.keys()
    by_change = {(mutant.function.name, mutant.change.operator, mutant.change.new): digests[mutant.name] for mutant in good}
    plain = digests[weave.original(good[0].function)]
    assert by_change['count', 'assignment', '-='] != plain
    assert by_change['count', 'call deleted', ';'] != plain


def test_functions_of_other_files_are_not_inlined(tmp_path: Path) -> None:
    """A case hooks calls of both(), which the compiler inlines otherwise: what calls its copies is small."""
    text = SOURCE + '\nint twice(int *p, int nr)\n{\n\treturn both(p, p, nr) + both(p, p, nr);\n}\n'
    source = tmp_path / 'a.c'
    source.write_text('#define __maybe_unused\n' + weave.woven(text, [one for one in mutants() if one.change.operator == 'arithmetic']))
    subprocess.run(['gcc', '-O2', '-S', '-o', tmp_path / 'a.s', source], check=True)
    assert len(re.findall(r'\bcall\s+both$', (tmp_path / 'a.s').read_text(), re.MULTILINE)) == 2


def test_redundant_patch(tmp_path: Path) -> None:
    """A patch that deletes a line has the code of the mutant that deletes the call, although the lines behind it move up."""
    text = 'int clear(int *p);\nint count(int *p)\n{\n\tint nr = *p;\n\n\tclear(p);\n\treturn nr * __LINE__;\n}\n'
    by_hand = [*catalog.of_patch(1, {'a.c': text.replace('\tclear(p);\n', '')}, lambda name: text),
               *catalog.of_patch(2, {'a.c': text.replace('= *p', '= p[2]')}, lambda name: text)]
    generated = redundant.numbered(3, catalog.mutants(['a.c: count()'], lambda name: text), {'a.c: count()'})
    source = tmp_path / 'a.c'
    source.write_text('#define __maybe_unused __attribute__((unused))\n' + weave.woven(text, [*by_hand, *generated]))
    subprocess.run(['gcc', '-O2', '-S', '-fkeep-static-functions', '-o', tmp_path / 'a.s', source], check=True)
    digests = dict(assembly.digests((tmp_path / 'a.s').read_text()))
    deleted = next(mutant for mutant in generated if mutant.change.operator == 'call deleted')
    assert [*redundant.equal(by_hand, generated, digests, {deleted.key})] == [(1, deleted.key)]
    assert not [*redundant.equal(by_hand, generated, digests, {})]


def test_equal_code_is_equivalent(tmp_path: Path) -> None:
    source = tmp_path / 'a.c'
    source.write_text('int f__m1(int a, char *s) { return a ? __builtin_strlen(s) * 2 : 7; }\n'
                      'int f__m2(int b, char *t) { return b ? __builtin_strlen(t) << 1 : 7; }\n'
                      'int f__m3(int a, char *s) { return a ? __builtin_strlen(s) * 2 : 8; }\n')
    subprocess.run(['gcc', '-O2', '-S', '-o', tmp_path / 'a.s', source], check=True)
    digests = dict(assembly.digests((tmp_path / 'a.s').read_text()))
    assert digests['f__m1'] == digests['f__m2'] != digests['f__m3']


def test_copies_that_use_a_symbol(tmp_path: Path) -> None:
    source = tmp_path / 'a.c'
    source.write_text('int missing(int a);\nint f__m1(int a) { return missing(a); }\nint f__m2(int a) { return a; }\n')
    subprocess.run(['gcc', '-O2', '-S', '-o', tmp_path / 'a.s', source], check=True)
    text = (tmp_path / 'a.s').read_text()
    assert [*assembly.users(text, {'missing'})] == ['f__m1']
    assert not [*assembly.users(text, {'miss'})]


CASES = [guest.Case(number, name, 0.0, frozenset({7})) for number, name in ((4, 's.first'), (2, 's.second'))]


@pytest.mark.parametrize(('log', 'ended'), [
    ('case s.first passed after 5 us|case s.second passed after 6 us|mutant 7 done', (record.SURVIVED, '')),
    ('case s.first passed after 5 us|case s.second failed after 6 us', (record.KILLED, 's.second')),
    ('case s.first passed after 5 us|    # second: EXPECTATION FAILED at a.c:1|sleep 100', (record.KILLED, 's.second')),
    ('case s.first passed after 5 us|Kernel panic - not syncing: x', (record.CRASHED, 's.second')),
    ('case s.first passed after 5 us|sleep 100', (record.TIMED_OUT, 's.second')),
    ('case s.first passed after 5 us|yes', (record.TIMED_OUT, 's.second')),
])
def test_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str, ended: tuple[str, str]) -> None:
    monkeypatch.setattr(guest, 'MARGIN', 0.2)
    prints = '; '.join(line if line in ('sleep 100', 'yes') else f"echo '{'ptebatch: ' if line.startswith(('case', 'mutant')) else ''}{line}'"
                       for line in ('mutant 7 begins', *log.split('|')))
    script = f'echo "$0" >args; {prints}'
    command = guest.Command(['sh', '-c', script, f'-append {guest.UNCHANGED} quiet'], tmp_path, dict(os.environ), guest.FIRST)
    found = guest.judge(command, 7, CASES)
    assert (found.verdict, found.by) == ended
    assert (tmp_path / 'args').read_text() == '-append ptebatch_kunit.mutant=7,4,2 quiet\n'


def test_busy_machine_is_not_a_hang(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guest, 'MARGIN', 0.2)
    script = ("echo 'ptebatch: mutant 7 begins'; test -e again || { touch again; sleep 100; }\n"
              "echo 'ptebatch: case s.first passed after 5 us'; echo 'ptebatch: mutant 7 done'")
    command = guest.Command(['sh', '-c', script], tmp_path, dict(os.environ), guest.FIRST)
    assert guest.judge(command, 7, CASES).verdict == record.SURVIVED


def test_guest_that_does_not_boot(tmp_path: Path) -> None:
    """Its panic says nothing about the mutant."""
    script = "echo x >>boots; echo 'Kernel panic - not syncing: IO-APIC + timer does not work!'"
    command = guest.Command(['sh', '-c', script], tmp_path, dict(os.environ), guest.FIRST)
    with pytest.raises(Trouble, match='the guest of mutant 7 does not boot'):
        guest.judge(command, 7, CASES)
    assert (tmp_path / 'boots').read_text().count('x') == guest.BOOTS


def verdict(mutant: str, kind: str, function: str = 'a.c: f()') -> Verdict:
    return Verdict(mutant, function, 1, kind)


def test_interrupted_run_goes_on(tmp_path: Path) -> None:
    kept = Record(tmp_path / 'verdicts', 'kernel')
    kept.add(verdict('one', record.KILLED))
    kept.add(verdict('two', record.SURVIVED))
    path = tmp_path / 'verdicts'
    path.write_text(path.read_text() + '{"mutant": "thr')
    again = Record(path, 'kernel')
    assert [*again.verdicts] == ['one', 'two']
    again.add(verdict('three', record.KILLED))
    assert [*Record(path, 'kernel').verdicts] == ['one', 'two', 'three']
    assert not Record(path, 'another kernel').verdicts


def test_shards_merge_to_the_whole() -> None:
    verdicts = [verdict(str(number), record.KILLED if number % 3 else record.SURVIVED) for number in range(10)]
    parts = [Shard(number, 2).of(verdicts) for number in (1, 2)]
    assert record.scores(record.union(parts), {}) == record.scores(verdicts, {})


def test_sample_leaves_out_what_needed_no_guest() -> None:
    everything = mutants()
    recorded = [verdict(mutant.key, record.EQUIVALENT) for mutant in everything[3:]]
    drawn = mutation._sample(everything, {'SAMPLE': '2', 'SEED': '5'}, recorded)
    assert len(drawn) == 2 and {*drawn} < {*everything[:3]}
    assert mutation._sample(everything, {'SAMPLE': '2', 'SEED': '5'}, recorded) == drawn
    assert mutation._sample(everything, {}, recorded) == everything


def test_sample_has_recorded_and_new_mutants() -> None:
    everything = mutants()
    recorded = [Verdict(one.key, one.function.title, one.line, record.KILLED) for one in everything[:10]]
    drawn = mutation._sample(everything, {'SAMPLE': '8'}, recorded)
    assert len({one.key for one in drawn}) == 8
    assert sum(one.key in {verdict.mutant for verdict in recorded} for one in drawn) == 4
    # Of few new ones, all.
    drawn = mutation._sample(everything[:12], {'SAMPLE': '10'}, recorded)
    assert len(drawn) == 10 and {*everything[10:12]} <= {*drawn}


def test_survivors_are_those_of_the_record() -> None:
    everything = mutants()
    kinds = [record.KILLED, record.NOT_COMPILED, record.SURVIVED, record.NOT_REACHED, record.SURVIVED]
    recorded = [verdict(mutant.key, kind) for mutant, kind in zip(everything, kinds)] + [verdict('gone', record.KILLED)]
    elsewhere = [verdict(everything[4].key, record.CRASHED), verdict(everything[5].key, record.SURVIVED)]
    left, known = mutation._survivors(everything, {'SURVIVORS': 'yes'}, recorded, elsewhere)
    assert left == [*everything[2:4], *everything[5:]] and known == recorded[:2]
    assert mutation._survivors(everything, {'SURVIVORS': ''}, recorded, elsewhere) == (everything, [])
    with pytest.raises(Trouble, match='SURVIVORS=1: unknown value'):
        mutation._survivors(everything, {'SURVIVORS': '1'}, recorded, elsewhere)


def test_without_an_unknown_check() -> None:
    assert guest.without({'WITHOUT': 'tlb'}) == 'tlb' and not guest.without({})
    assert guest.without({'WITHOUT': 'promised_access'}) == 'promised_access'
    with pytest.raises(Trouble, match='WITHOUT=tbl: no check'):
        guest.without({'WITHOUT': 'tbl'})


def test_union_takes_the_better_verdict() -> None:
    found = record.union([[verdict('a', record.SURVIVED), verdict('b', record.ABSENT)],
                          [verdict('a', record.KILLED), verdict('b', record.SURVIVED)]])
    assert {one.mutant: one.verdict for one in found} == {'a': record.KILLED, 'b': record.SURVIVED}


def test_union_catches_what_is_a_duplicate_elsewhere() -> None:
    duplicate = record.Verdict('b', 'f', 1, record.DUPLICATE, 'a')
    found = record.union([[verdict('a', record.SURVIVED), verdict('b', record.SURVIVED)],
                          [verdict('a', record.KILLED), duplicate]])
    assert {one.mutant: one.verdict for one in found} == {'a': record.KILLED, 'b': record.KILLED}
    assert record.union([[verdict('a', record.SURVIVED), duplicate]])[1].verdict == record.DUPLICATE


def test_score() -> None:
    verdicts = [verdict('a', record.KILLED), verdict('b', record.CRASHED), verdict('c', record.SURVIVED), verdict('d', record.SURVIVED),
                verdict('e', record.EQUIVALENT), verdict('f', record.NOT_COMPILED), verdict('g', record.NOT_REACHED)]
    score = record.scores(verdicts, {'d': ('equivalent', 'for a reason')})['all']
    assert (score.mutants, score.caught, score.survived, score.not_reached, score.equivalent) == (6, 2, 1, 1, 2)
    assert score.percent == 50


def test_slower_by_the_worst_timing() -> None:
    def timing(name: str, least: int) -> Timing:
        return Timing({'table': 'mprotect', 'name': name}, 512, 1, 3, 0, least, least, least)

    was, now = ({name: timing(name, least) for name, least in figures.items()}
                for figures in ({'a': 1000, 'b': 200, 'c': 7}, {'a': 1010, 'b': 210}))
    ratio, name = mutation_bench.slower(was, now)
    assert name == 'b' and round(ratio, 6) == 0.05
    assert mutation_bench.slower(was, {}) == (0.0, '')


def test_worse_than_recorded() -> None:
    recorded = [verdict('a', record.KILLED), verdict('b', record.SURVIVED), verdict('c', record.TIMED_OUT)]
    now = [verdict('a', record.SURVIVED), verdict('b', record.SURVIVED), verdict('c', record.KILLED)]
    assert [one.mutant for one in record.worse(now, recorded)] == ['a']


def test_saved_record(tmp_path: Path) -> None:
    verdicts = [verdict('b', record.KILLED), verdict('a', record.SURVIVED)]
    record.save(tmp_path / 'mutation.json', verdicts)
    assert record.load(tmp_path / 'mutation.json') == verdicts[::-1]
    assert len(json.loads((tmp_path / 'mutation.json').read_text())) == 2
    (tmp_path / 'mutation.json').write_text('{}x')
    with pytest.raises(Trouble, match='not the record of make mutation'):
        record.load(tmp_path / 'mutation.json')


@pytest.mark.parametrize('text', ['0', '-1', 'a'])
def test_wrong_sample(text: str) -> None:
    with pytest.raises(Trouble, match=f'SAMPLE={text}: expected a number above 0'):
        mutation.main({'SAMPLE': text})


def test_other_options_do_not_apply() -> None:
    with pytest.raises(Trouble, match='do not apply to make mutation'):
        mutation.main({'SUITES': 'ptebatch_mprotect'})


def test_unknown_kind_of_survivor(tmp_path: Path) -> None:
    path = tmp_path / 'survivors.csv'
    path.write_text('mutant,kind,reason\na,unknown,\n')
    with pytest.raises(Trouble, match='a: unknown kind unknown'):
        record.triage(path)


def test_what_only_costs_time_makes_a_bench_slower() -> None:
    slower = {verdict.mutant for path in PROJECT.glob('tests/recorded/*/mutation-bench.json') for verdict in record.load(path)
              if verdict.verdict == record.SLOWER}
    # No bench runs on the others.
    without = tuple(f'arch/{arch.name}/' for arch in ARCHES.values() if arch.suites_only)
    assert slower and slower >= {mutant for mutant, (kind, _) in record.triage().items()
                                 if kind == 'performance only' and not mutant.startswith(without)}


def test_a_series_adds_the_functions_that_it_changes() -> None:
    before = 'int same(int a)\n{\n\treturn a;\n}\n\nint other(int a)\n{\n\treturn a;\n}\n'
    after = before.replace('other(int a)\n{\n\treturn a;', 'other(int a)\n{\n\treturn a + 1;') +         'int level(enum pgtable_level level)\n{\n\treturn level;\n}\n\nint new(int a)\n{\n\treturn a;\n}\n'
    plain = catalog.functions(lambda file: '', 'x86_64')
    names = catalog.functions(lambda file: after, 'x86_64', lambda file: before, ['mm/a.c', 'Documentation/a.rst'])
    assert {*names} - {*plain} == {'mm/a.c: other()', 'mm/a.c: new()'}
    lines = after.split('\n')
    assert 'return a + 1;' in lines[min(catalog.added_lines(before, after)) - 1]


def test_each_reviewed_survivor_exists(kernel_source: Path) -> None:
    def source(patches: list[series.Patch]) -> catalog.Read:
        changed = series.apply(patches, kernel_source)

        def read(name: str) -> str:
            path = kernel_source / name
            content = changed.get(name) or (path.read_bytes() if path.is_file() else b'')
            return content.decode()
        return read

    fixes = series.read(PROJECT / 'mm/series/fixes')
    unmap = series.without(series.read(PROJECT / 'mm/series/unmap'), fixes)
    base, on_top = source(fixes), source([*fixes, *unmap])
    touched = sorted({file for patch in unmap for file in patch.touched})
    keys = []
    for read in (base, on_top):
        names = {name for arch in ARCHES for name in catalog.functions(read, arch, base, touched)}
        keys += [mutant.key for mutant in catalog.mutants(sorted(names), read)]
    assert not record.stale(record.triage(), keys)
    assert record.stale(['no such mutant'], keys) == ['no such mutant']
