# SPDX-License-Identifier: GPL-2.0
"""make port: what another kernel changes of what the suites use."""

from __future__ import annotations

from pathlib import Path

from commands import port
from host import tools
from project import uses
from trees import fixes
from trees.series import Patch

BEFORE = '''\
#define GONE 1
struct folio;
int same(struct folio *folio, unsigned long *flags);
long changed(struct folio *folio, int nr);
void unused_one(void);
struct both { int member_gone; int member_kept; };
'''
AFTER = '''\
int same(struct folio *one, unsigned long *two);
long changed(struct folio *folio, unsigned long nr);
void unused_one(int more);
struct both { int member_kept; };
'''
USER = '''\
/* GONE in a comment */
static const char *hooked = "changed";
int use(struct both *both) { return GONE + both->member_gone + both->member_kept + same(0, 0); }
'''


def trees(tmp_path: Path, port_text: str = '') -> tuple[Path, Path, Path]:
    """A project, and the kernel trees before and after."""
    files = {'project/lib/op/use.c': USER, 'project/lib/port/port.h': port_text, 'project/mm/suite.c': 'int x = GONE;\n',
             'before/include/linux/mm.h': BEFORE, 'after/include/linux/mm.h': AFTER}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path / 'project', tmp_path / 'before', tmp_path / 'after'


def test_differences(tmp_path: Path) -> None:
    found = {each.name: each for each in uses.differences(*trees(tmp_path))}
    assert found.keys() == {'GONE', 'changed', 'member_gone'}
    assert found['changed'].before == 'long (struct folio *, int)' and found['changed'].after == 'long (struct folio *, unsigned long)'
    assert found['GONE'].after == '' and found['GONE'].places == ['lib/op/use.c:3', 'mm/suite.c:1']


def test_what_lib_port_has(tmp_path: Path) -> None:
    found = list(uses.differences(*trees(tmp_path, '#define GONE 2\n')))
    assert [each.name for each in port.not_ported(found)] == ['changed', 'member_gone']
    text = port.page('7.2', '7.3', found, [['lib/op/use.c:3', 'no GONE']], fixes_states(), ['tests/mutants/a/b.patch'])
    assert 'lib/op/use.c:3 and 1 more, has lib/port' in text and '| lib/op/use.c:3 | no GONE |' in text
    assert '- tests/mutants/a/b.patch' in text


def fixes_states() -> dict[str, str]:
    return {fix.number: fixes.LACKS for fix in fixes.known()}


def test_same_tree(tmp_path: Path) -> None:
    project, before, _ = trees(tmp_path)
    assert not list(uses.differences(project, before, before))
    text = port.page('7.3', '7.3', [], [], fixes_states(), [])
    assert 'No difference.' in text and text.endswith('None.\n')


def test_errors_of_the_compiler() -> None:
    output = ('make: entering\n/t/mm/tests/ptebatch/lib/op/use.c:3:12: error: no GONE\n'
              '../include/linux/mm.h:7: fatal error: x.h: No such file\n')
    assert port.ERROR.findall(output) == [('/t/mm/tests/ptebatch/lib/op/use.c', '3', 'no GONE'),
                                          ('../include/linux/mm.h', '7', 'x.h: No such file')]


def test_patches_that_do_not_apply(tmp_path: Path) -> None:
    (tmp_path / 'mm').mkdir()
    (tmp_path / 'mm/a.c').write_text('one\ntwo\nthree\n')

    def patch(old: str, new: str) -> Patch:
        return Patch('p', f'--- a/mm/a.c\n+++ b/mm/a.c\n@@ -1,3 +1,3 @@\n one\n-{old}\n+{new}\n three\n')

    named = {'applies': [patch('two', '2')], 'series': [patch('two', '2'), patch('2', 'II')],
             'does not': [patch('2', '3')], 'its end does not': [patch('two', '2'), patch('two', '2')], 'again': [patch('two', '2')]}
    assert fixes.unapplied(tmp_path, named) == ['does not', 'its end does not']
    assert (tmp_path / 'mm/a.c').read_text() == 'one\ntwo\nthree\n'


def test_all_patches_of_the_project() -> None:
    named = port.all_patches()
    assert 'mm/series/unmap' in named and 'mm/series/fixes' not in named
    assert any(len(patches) > 1 for name, patches in named.items() if name.startswith('tests/mutants/'))


def test_a_failed_build_of_the_suites_names_the_command() -> None:
    suites = tools.Failed(['make'], 2, 'mm/tests/ptebatch/lib/op/use.c:3:12: error: no GONE\n')
    assert 'make port lists' in str(suites.of_build('it does not build'))
    assert 'builds without ptebatch' in str(tools.Failed(['make'], 2, 'mm/mprotect.c:3: error: x\n').of_build('it does not build'))
