# SPDX-License-Identifier: GPL-2.0
"""make patches: numbers, recipients, git am, and what the messages say was not tested."""

from __future__ import annotations

import email
from dataclasses import replace
from pathlib import Path

import pytest

from commands import patches
from host.errors import Trouble
from host.settings import PROJECT
from trees import mails
from trees import maintainers
from trees.maintainers import Recipients
from unit.machine import Machine

MAINTAINERS = '''\
warn "a warning\\n";
print '{"maintainers":[{"email":"a@example.org","name":"\\"A. B.\\"","role":"maintainer:MM - X"},'
    . '{"email":"r@example.org","name":"R (O)","role":"reviewer:MM - X"},'
    . '{"email":"mm@example.org","name":"","role":"open list:MM - X"}],"subsystem":["MM - X","MEMORY MANAGEMENT","THE REST"]}' . "\\n";
'''
CHECKPATCH = '''\
#!/bin/sh
for file; do case $file in -*) ;; *) grep -Hn '^+.*BAD' "$file" && status=1;; esac; done
exit ${status:-0}
'''


def patch(old: str, new: str, message: str = 'Why.', notes: str = '') -> str:
    return (f'{message}\n---\n{notes}\n' + '\n' * bool(notes) + ' mm/mprotect.c | 2 +-\n 1 file changed, 1 insertion(+), 1 deletion(-)\n\n'
            'diff --git a/mm/mprotect.c b/mm/mprotect.c\nindex 1111111..2222222 100644\n--- a/mm/mprotect.c\n+++ b/mm/mprotect.c\n'
            f'@@ -1,3 +1,3 @@\n one\n-{old}\n+{new}\n three\n')


def write(folder: Path, name: str, subject: str, body: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text('From 0000000000000000000000000000000000000000 Mon Sep 17 00:00:00 2001\nFrom: A <a@example.org>\n'
                               f'Date: Sat, 21 Nov 2026 23:30:00 +0000\nSubject: [PATCH] {subject}\n\n{body}')


@pytest.fixture(name='series')
def _series(tmp_path: Path) -> Path:
    """A series with a cover letter, in which number 2 is missing."""
    folder = tmp_path / 'ours'
    write(folder, '0000-cover-letter.patch', 'mm: numbers', 'Patch 0003 needs patch 0001, in 7.3.4, 2.0012 and 0001-x.')
    write(folder, '0001-mm-say-2.patch', 'mm: say 2', patch('two', '2'))
    write(folder, '0003-mm-say-II.patch', 'mm: ' + 'say II ' * 20, patch('2', 'II', 'Why.\n\nIt was not tested.', 'Needs 0001.'))
    return folder


@pytest.fixture(name='tree')
def _tree(machine: Machine) -> Machine:
    (machine.tree / 'scripts').mkdir()
    (machine.tree / 'scripts/get_maintainer.pl').write_text(MAINTAINERS)
    (machine.tree / 'scripts/checkpatch.pl').write_text(CHECKPATCH)
    (machine.tree / 'scripts/checkpatch.pl').chmod(0o755)
    return machine


def test_numbers_have_no_gap(series: Path) -> None:
    cover, first, second = mails.numbered(mails.read(series))
    assert [mail.prefix for mail in (cover, first, second)] == ['PATCH 0/2', 'PATCH 1/2', 'PATCH 2/2']
    assert [mail.file for mail in (first, second)] == ['0001-mm-say-2.patch', '0002-mm-say-II.patch']
    assert cover.message == 'Patch 2 needs patch 1, in 7.3.4, 2.0012 and 0001-x.'
    assert second.notes == 'Needs 1.' and second.message.endswith('not tested.')


def test_numbers_of_a_list_are_aligned(series: Path) -> None:
    for number in range(4, 15):
        write(series, f'{number:04}-more.patch', 'mm: more', patch('II', 'II'))
    write(series, '0000-cover-letter.patch', 'mm: numbers', 'In\n  0001  this,\n  0012  and 0003\n')
    assert mails.numbered(mails.read(series))[0].message == 'In\n   1  this,\n  11  and 2'


def test_a_number_that_the_series_does_not_have(series: Path) -> None:
    write(series, '0000-cover-letter.patch', 'mm: numbers', 'Patch 0002 is disputed.')
    with pytest.raises(Trouble, match='0000-cover-letter.patch refers to patch 0002'):
        mails.numbered(mails.read(series))


def test_a_single_patch_has_no_number(series: Path) -> None:
    (series / '0000-cover-letter.patch').unlink()
    (series / '0003-mm-say-II.patch').unlink()
    assert [mail.prefix for mail in mails.numbered(mails.read(series))] == ['PATCH']


def test_more_than_nine_patches_have_two_digits(series: Path) -> None:
    for number in range(4, 15):
        write(series, f'{number:04}-more.patch', 'mm: more', patch('II', 'II'))
    assert [mail.prefix for mail in mails.numbered(mails.read(series))][:3] == ['PATCH 00/13', 'PATCH 01/13', 'PATCH 02/13']


@pytest.mark.parametrize('name, text, message', [
    ('0001-mm-say-2.patch', 'no header', 'not a mail: no header From:'),
    ('0001-mm-say-2.patch', 'From: a\nDate: b\nSubject: c\n\nno diff\n', 'no patch with a diffstat'),
])
def test_a_file_that_is_no_mail(series: Path, name: str, text: str, message: str) -> None:
    (series / name).write_text(text)
    with pytest.raises(Trouble, match=message):
        mails.read(series)


def test_a_folder_without_mails(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / 'none'):
        with pytest.raises(Trouble, match='no mails of git format-patch'):
            mails.read(folder)


def test_written_mails(tree: Machine, series: Path) -> None:
    done = tree.run('patches', SERIES=str(series))
    assert done.returncode == 0, done.stdout + done.stderr
    out = tree.out / 'patches/ours'
    assert sorted(path.name for path in out.iterdir()) == [
        '0000-cover-letter.patch', '0001-mm-say-2.patch', '0002-mm-say-II.patch']
    for path in out.iterdir():
        mail = email.message_from_string(path.read_text().partition('\n')[2])
        assert mail['To'] == '"A. B." <a@example.org>'
        assert ' '.join(str(mail['Cc']).split()) == '"R (O)" <r@example.org>, mm@example.org'
        assert max(len(line) for line in path.read_text().partition('\n\n')[0].splitlines()) < 90
        assert 'Signed-off-by' not in path.read_text() and 'Message-Id' not in mail
    second = (out / '0002-mm-say-II.patch').read_text()
    # The hunk is that of the tree: git, not the stored patch, says the hashes.
    assert '\n---\nNeeds 1.\n\n mm/mprotect.c | 2 +-\n' in second and 'index 1111111' not in second
    assert '\n  1  mm: say 2\n' in (out / '0000-cover-letter.patch').read_text()
    assert '| It was not tested.' in (tree.out / 'patches/patches.md').read_text()
    assert 'add your Signed-off-by' in done.stdout
    assert (tree.tree / 'mm/mprotect.c').read_text() == 'one\ntwo\nthree\n'


def test_the_mails_are_applied_from_their_files(tree: Machine, series: Path) -> None:
    into = tree.out / 'ours'
    written = patches.write(series, into, tree.tree)
    assert patches.applied(written, into, tree.tree) == ''
    (into / '0002-mm-say-II.patch').write_text((into / '0002-mm-say-II.patch').read_text().replace('+II', '+III'))
    assert 'does not leave the files of the stored patches' in patches.applied(written, into, tree.tree)


def test_a_patch_that_does_not_apply(tree: Machine, series: Path) -> None:
    write(series, '0001-mm-say-2.patch', 'mm: say 2', patch('deux', '2'))
    done = tree.run('patches', SERIES=str(series))
    assert done.returncode == 2
    assert 'git am does not apply 0001-mm-say-2.patch; rebase' in done.stderr and 'patch does not apply' in done.stdout


def test_checkpatch_complains(tree: Machine, series: Path) -> None:
    write(series, '0003-mm-say-II.patch', 'mm: say BAD', patch('2', 'BAD'))
    done = tree.run('patches', SERIES=str(series))
    assert done.returncode == 1
    assert '[FAILED]' in done.stdout and '0002-mm-say-II.patch' in done.stdout


@pytest.mark.parametrize('text', ['', 'print "no JSON\\n";', 'exit 1;', 'print "{}\\n";'])
def test_a_script_that_does_not_say_who_maintains(tree: Machine, series: Path, text: str) -> None:
    (tree.tree / 'scripts/get_maintainer.pl').write_text(text)
    with pytest.raises(Trouble, match='does not say who maintains 0001-mm-say-2.patch'):
        maintainers.recipients(tree.tree, series / '0001-mm-say-2.patch')


def test_a_tree_without_the_script(machine: Machine, series: Path) -> None:
    with pytest.raises(Trouble, match='no scripts/get_maintainer.pl'):
        maintainers.recipients(machine.tree, series / '0001-mm-say-2.patch')


def test_sections_and_lists(tree: Machine, series: Path) -> None:
    found = maintainers.recipients(tree.tree, series / '0001-mm-say-2.patch')
    assert (found.sections, found.lists) == (['MM - X'], ['mm@example.org'])
    other = Recipients(['c@example.org', '"R (O)" <r@example.org>'], [], [], ['OTHER'])
    both = maintainers.union([found, other])
    assert both.to == ['"A. B." <a@example.org>', 'c@example.org', '"R (O)" <r@example.org>']
    assert both.cc == ['mm@example.org'] and both.sections == ['MM - X', 'OTHER']


@pytest.mark.parametrize('text, found', [
    ('All of it was tested.', ''), ('Then nothing can fail, and each run ends.', ''), ('This does not run twice.', ''),
    ('A. Compile-tested on arm64;\nnot tested on s390. B.', 'Compile-tested on arm64. Not tested on s390.'),
    ('The hugetlb part was not run.', 'The hugetlb part was not run.'), ('Nothing was measured.', 'Nothing was measured.'),
    ('No program from user space was run.', 'No program from user space was run.'),
])
def test_what_a_message_says_was_not_tested(series: Path, text: str, found: str) -> None:
    mail = mails.read(series)[1]
    assert patches.not_tested(replace(mail, message=text)) == found
    assert patches.not_tested(replace(mail, message='Why.', notes=text)) == found


def test_each_series_has_a_cover_letter() -> None:
    """The names of the series, and numbers in their texts."""
    folders = sorted({path.parent.name for path in (PROJECT / 'mm/series').glob('*/*.patch')})
    assert sorted(patches.SERIES) == folders
    for name in folders:
        assert mails.numbered(mails.read(PROJECT / 'mm/series' / name))[0].number == 0
