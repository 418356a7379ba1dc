# SPDX-License-Identifier: GPL-2.0
"""Which of our fixes a tree has."""

from __future__ import annotations

from pathlib import Path

import pytest

from trees import fixes, series
from trees.fixes import CANNOT_TELL, HAS, LACKS, Fix
from trees.series import Patch

FILE = 'one\ntwo\nthree\n'


def fix(number: str, old: str, new: str, file: str = 'mm/x.c') -> Fix:
    """A fix that changes the second line of a file."""
    text = f'why\n---\n--- a/{file}\n+++ b/{file}\n@@ -1,3 +1,3 @@\n one\n-{old}\n+{new}\n three\n'
    return Fix(number, f'title of {number}', Patch(f'{number}-x.patch', text))


# The second one changes what the first one wrote.
FIXES = [fix('0001', 'two', '2'), fix('0002', '2', 'II'), fix('0003', 'two', 'deux', 'mm/y.c')]
FIRST, SECOND, OTHER = (each.patch for each in FIXES)


@pytest.fixture(name='tree')
def _tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(fixes, 'known', lambda: FIXES)
    (tmp_path / 'mm').mkdir()
    for name in ('x.c', 'y.c'):
        (tmp_path / 'mm' / name).write_text(FILE)
    return tmp_path


def write(tree: Path, line: str) -> None:
    (tree / 'mm/x.c').write_text(FILE.replace('two', line))


@pytest.mark.parametrize(('line', 'first', 'second'), [
    ('two', LACKS, LACKS), ('2', HAS, LACKS), ('II', HAS, HAS), ('zwei', CANNOT_TELL, CANNOT_TELL)])
def test_fixes_of_one_file(tree: Path, line: str, first: str, second: str) -> None:
    write(tree, line)
    assert fixes.states(tree) == {'0001': first, '0002': second, '0003': LACKS}
    assert (tree / 'mm/x.c').read_text() == FILE.replace('two', line)


def test_tree_without_a_file(tree: Path) -> None:
    (tree / 'mm/x.c').unlink()
    assert fixes.states(tree) == {'0001': CANNOT_TELL, '0002': CANNOT_TELL, '0003': LACKS}


def test_part_of_a_fix(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    both = Fix('0001', 'both', Patch('both', FIRST.text + OTHER.diff))
    monkeypatch.setattr(fixes, 'known', lambda: [both])
    write(tree, '2')
    assert fixes.states(tree) == {'0001': CANNOT_TELL}


@pytest.mark.parametrize(('there', 'state'), [('', LACKS), ('\tcall_of_a_function(argument, another);\n', CANNOT_TELL)])
def test_by_text_where_no_patch_applies(tree: Path, monkeypatch: pytest.MonkeyPatch, there: str, state: str) -> None:
    long = fix('0001', 'two', '\tcall_of_a_function(argument, another);')
    monkeypatch.setattr(fixes, 'known', lambda: [long])
    (tree / 'mm/x.c').write_text(f'another\n{there}kernel\n')
    assert fixes.states(tree) == {'0001': state}


def test_patches_on_top(tree: Path) -> None:
    assert fixes.states(tree, [FIRST]) == {'0001': HAS, '0002': LACKS, '0003': LACKS}
    # The same change with another message.
    assert fixes.states(tree, [FIRST, Patch('mine', 'mine\n' + OTHER.diff)])['0003'] == HAS
    assert set(fixes.states(tree, [FIRST, SECOND, OTHER]).values()) == {HAS}
    assert fixes.states(tree, [fix('', 'two', 'zwei').patch])['0001'] == CANNOT_TELL


def test_deleted_file(tree: Path) -> None:
    gone = Patch('gone', '--- a/mm/x.c\n+++ /dev/null\n@@ -1,3 +0,0 @@\n-one\n-two\n-three\n')
    assert fixes.states(tree, [gone])['0001'] == CANNOT_TELL


def test_series_that_reverts_a_fix(tree: Path) -> None:
    """The failures of a bug that a series brings back count."""
    write(tree, '2')
    back = fix('', '2', 'two').patch
    assert fixes.states(tree, [back])['0001'] == LACKS
    assert fixes.with_series(tree, [], [back])['0001'] == HAS
    assert fixes.with_series(tree, [], [])['0002'] == LACKS


def test_series_with_a_fix(tree: Path) -> None:
    assert fixes.with_series(tree, [], [FIRST])['0001'] == HAS
    assert fixes.with_series(tree, [], [OTHER])['0001'] == LACKS


def test_needed(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fixes, 'NEEDED', {'um': '0001'})
    assert fixes.needed('um', tree, [], []) == [FIRST]
    assert not fixes.needed('x86_64', tree, [], [])
    assert not fixes.needed('um', tree, [FIRST], [FIRST])
    assert not fixes.needed('um', tree, [], [FIRST])
    write(tree, 'zwei')
    assert not fixes.needed('um', tree, [], [])


def test_fixes_that_need_others(tree: Path) -> None:
    assert [fixes.without(each.number, tree) for each in FIXES] == [['0001', '0002'], ['0002'], ['0003']]


def test_our_fixes() -> None:
    """Each patch has a subject, and a number of its own; patches of the selftests are left out."""
    patches = series.read(fixes.FOLDER)
    of_kernel = [patch for patch in patches if not all(name.startswith('tools/') for name in patch.touched)]
    assert [each.patch for each in fixes.known()] == of_kernel and len(of_kernel) < len(patches)
    assert len({each.number for each in fixes.known()}) == len(of_kernel)
    assert all(each.number.isdecimal() and each.title and '\n' not in each.title for each in fixes.known())


def test_states_of_the_fetched_kernel(kernel_source: Path) -> None:
    assert set(fixes.states(kernel_source).values()) == {LACKS}


@pytest.mark.parametrize('number', [each.number for each in fixes.known()])
def test_each_fix_left_out(number: str, kernel_source: Path) -> None:
    left_out = fixes.without(number, kernel_source)
    found = fixes.states(kernel_source, [each.patch for each in fixes.known() if each.number not in left_out])
    assert found == {each.number: LACKS if each.number in left_out else HAS for each in fixes.known()}
