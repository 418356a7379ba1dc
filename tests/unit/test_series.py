# SPDX-License-Identifier: GPL-2.0
"""SERIES=: reading and applying patches."""

import base64
import quopri
import re
from pathlib import Path

import pytest

from host.errors import Trouble
from host.settings import PROJECT
from trees import series

OWN = sorted({path.parent for path in (PROJECT / 'mm/series').glob('*/*.patch')})


def patch(old: str, new: str) -> str:
    return f'--- a/mm/x.c\n+++ b/mm/x.c\n@@ -1,3 +1,3 @@\n one\n-{old}\n+{new}\n three\n'


def mail(subject: str, body: str, *headers: str) -> str:
    lines = ['From 0123456789abcdef Mon Sep 17 00:00:00 2001', 'From: A <a@example.org>', f'Subject: {subject}', *headers]
    return '\n'.join(lines) + f'\n\n{body}\n'


@pytest.fixture(name='tree')
def _tree(tmp_path: Path) -> Path:
    (tmp_path / 'tree/mm').mkdir(parents=True)
    (tmp_path / 'tree/mm/x.c').write_text('one\ntwo\nthree\n')
    return tmp_path / 'tree'


def write(folder: Path, name: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text)
    return folder / name


def test_patch(tmp_path: Path, tree: Path) -> None:
    patches = series.read(write(tmp_path, 'a.patch', patch('two', '2')))
    assert series.apply(patches, tree) == {'mm/x.c': b'one\n2\nthree\n'}
    assert (tree / 'mm/x.c').read_text() == 'one\ntwo\nthree\n'


def test_folder_is_sorted(tmp_path: Path, tree: Path) -> None:
    write(tmp_path / 's', '0002-b.patch', patch('2', 'II'))
    write(tmp_path / 's', '0001-a.patch', patch('two', '2'))
    write(tmp_path / 's', '0000-cover-letter.patch', mail('[PATCH 0/2] why', 'because'))
    assert series.apply(series.read(tmp_path / 's'), tree) == {'mm/x.c': b'one\nII\nthree\n'}


def test_folder_with_series_file(tmp_path: Path, tree: Path) -> None:
    write(tmp_path / 's', 'a.patch', patch('2', 'II'))
    write(tmp_path / 's', 'b.patch', patch('two', '2'))
    write(tmp_path / 's', 'series', '# first\nb.patch -p1\n\na.patch\n')
    assert series.apply(series.read(tmp_path / 's'), tree) == {'mm/x.c': b'one\nII\nthree\n'}


def test_mbox_in_any_order(tmp_path: Path, tree: Path) -> None:
    box = (mail('[PATCH v2 2/2] b', patch('2', 'II')) + mail('Re: [PATCH v2 1/2] a', 'better:\n' + patch('two', 'deux'))
           + mail('[PATCH v2 0/2] why', 'because') + mail('[PATCH v2 1/2] a', patch('two', '2')))
    patches = series.read(write(tmp_path, 'thread.mbox', box))
    assert [found.name for found in patches] == ['[PATCH v2 1/2] a', '[PATCH v2 2/2] b']
    assert series.apply(patches, tree) == {'mm/x.c': b'one\nII\nthree\n'}


def test_quoted_printable_mail(tmp_path: Path, tree: Path) -> None:
    body = patch('two', 'two =3D 2')
    text = mail('[PATCH] a', body, 'Content-Type: text/plain; charset=UTF-8', 'Content-Transfer-Encoding: quoted-printable')
    assert series.apply(series.read(write(tmp_path, 'a.patch', text)), tree) == {'mm/x.c': b'one\ntwo = 2\nthree\n'}


def box(version: str, *patches: tuple[str, str], name: str = 'x') -> str:
    """A series as mails, with a cover letter that shows a diff, and a reply to each patch."""
    count = len(patches)
    return mail(f'[RFC PATCH{version} 0/{count}] {name}', f'v1 to v2:\n{patch("two", "zwei")}') + ''.join(
        mail(f'[RFC PATCH{version} {number}/{count}] {name}', patch(*change))
        + mail(f'Re: [RFC PATCH{version} {number}/{count}] {name}', f'> {patch(*change)}\nNo:\n{patch(*change)}')
        for number, change in enumerate(patches, 1))


@pytest.mark.parametrize('newer', [' v2', 'v2', ' v11', ' RESEND, v2'])
def test_newest_version(tmp_path: Path, tree: Path, newer: str) -> None:
    old, new = box('', ('two', '1'), ('1', 'I')), box(newer, ('two', '2'), ('2', 'II'), ('II', 'ii'))
    for text in (old + new, new + old, new + old + box(newer, ('two', '2'), ('2', 'II'), ('II', 'ii'))):
        path = write(tmp_path, 'x.mbox', text)
        patches = series.read(path)
        assert [found.name for found in patches] == [f'[RFC PATCH{newer} {number}/3] x' for number in (1, 2, 3)]
        assert series.apply(patches, tree) == {'mm/x.c': b'one\nii\nthree\n'}
        version = re.sub(r'\D', '', newer)
        assert series.left_out(path) == [f'x.mbox: v1, 2 patches: v{version} is newer']


def test_one_version(tmp_path: Path) -> None:
    assert not series.left_out(write(tmp_path, 'x.mbox', box(' v2', ('two', '2'), ('2', 'II'))))
    assert not series.left_out(write(tmp_path, 'a.patch', patch('two', '2')))
    assert not series.left_out(PROJECT / 'mm/series/fixes')


@pytest.mark.parametrize(('text', 'message'), [
    (box('', ('two', '2'), ('2', 'II')) + mail('[PATCH v2 2/2] x', patch('2', 'ii')), 'lacks 1/2 of v2, but has v1; add these'),
    (box('', ('two', '2')) + mail('[PATCH v2 0/2] x', 'later'), 'lacks 1/2, 2/2 of v2, but has v1; add these'),
    (mail('[PATCH 1/3] x', patch('two', '2')) + mail('[PATCH 3/3] x', patch('2', 'II')), 'lacks 2/3 of v1; add these'),
    (box('', ('two', '2')) + box('', ('two', '2'), ('2', 'II'), name='y'),
     'two series, of "[RFC PATCH 0/1] x" and of "[RFC PATCH 0/2] y"; leave'),
    (box('', ('two', '2')) + mail('[RFC PATCH 1/1] y', patch('two', 'II')), 'of "[RFC PATCH 0/1] x" and of "[RFC PATCH 1/1] y"'),
    (box(' v2', ('two', '2')) + mail('[PATCH v2] x-fix', patch('2', 'II')), 'two series, of "[PATCH v2] x-fix" and of "[RFC'),
])
def test_incomplete_or_several(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(Trouble, match=re.escape(message)):
        series.read(write(tmp_path, 'x.mbox', text))


def test_without_numbers(tmp_path: Path) -> None:
    patches = series.read(write(tmp_path, 'x.mbox', mail('mm: b', patch('two', '2')) + mail('mm: a', patch('2', 'II'))))
    assert [found.name for found in patches] == ['mm: b', 'mm: a']


@pytest.mark.parametrize('encoding', ['8bit', 'base64', 'quoted-printable'])
def test_crlf_and_encodings(tmp_path: Path, encoding: str) -> None:
    """The text of the patch is that of the file: Latin-1 stays Latin-1."""
    body = patch('two', 'zwölf').encode('latin-1').replace(b'\n', b'\r\n')
    coded = body if encoding == '8bit' else base64.encodebytes(body) if encoding == 'base64' else quopri.encodestring(body)
    text = mail('[PATCH =?utf-8?q?1/1=5D_zw=C3=B6lf?=', '', 'Content-Type: text/plain; charset=iso-8859-1',
                f'Content-Transfer-Encoding: {encoding}').encode()
    (tmp_path / 'tree/mm').mkdir(parents=True)
    (tmp_path / 'tree/mm/x.c').write_text('one\ntwo\nthree\n')
    (tmp_path / 'x.mbox').write_bytes((text + coded + b'\n').replace(b'\r\n', b'\n').replace(b'\n', b'\r\n'))
    [found] = series.read(tmp_path / 'x.mbox')
    assert found.subject == '[PATCH 1/1] zwölf'
    assert series.apply([found], tmp_path / 'tree') == {'mm/x.c': 'one\nzwölf\nthree\n'.encode('latin-1')}


def test_configuration_of_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('GIT_CONFIG_COUNT', '1')
    monkeypatch.setenv('GIT_CONFIG_KEY_0', 'mailinfo.scissors')
    monkeypatch.setenv('GIT_CONFIG_VALUE_0', 'true')
    [found] = series.read(write(tmp_path, 'x.mbox', mail('[PATCH] x', f'{patch("two", "2")}\n-- >8 --\nmore\n')))
    assert '+2' in found.diff


def test_rename_new_and_deleted(tmp_path: Path, tree: Path) -> None:
    (tree / 'mm/gone.c').write_text('bye\n')
    text = ('diff --git a/mm/x.c b/mm/y.c\nsimilarity index 100%\nrename from mm/x.c\nrename to mm/y.c\n'
            'diff --git a/mm/gone.c b/mm/gone.c\ndeleted file mode 100644\n--- a/mm/gone.c\n+++ /dev/null\n'
            '@@ -1 +0,0 @@\n-bye\n'
            'diff --git a/mm/new.c b/mm/new.c\nnew file mode 100644\n--- /dev/null\n+++ b/mm/new.c\n@@ -0,0 +1 @@\n+hi\n')
    assert series.apply(series.read(write(tmp_path, 'a.patch', text)), tree) == {
        'mm/x.c': None, 'mm/y.c': b'one\ntwo\nthree\n', 'mm/gone.c': None, 'mm/new.c': b'hi\n'}


def test_failing_hunk_is_shown(tmp_path: Path, tree: Path) -> None:
    patches = series.read(write(tmp_path, 'bad.patch', patch('nothing like it', '2')))
    with pytest.raises(Trouble) as trouble:
        series.apply(patches, tree)
    assert '"bad.patch" does not apply: patch failed: mm/x.c:1; rebase' in str(trouble.value)
    assert '-nothing like it\n+2\n' in trouble.value.details


def test_inside_a_repository(tmp_path: Path, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git must apply the patches even if TMPDIR is inside a git repository."""
    (tmp_path / '.git').mkdir()
    for name in ('HEAD', 'objects/x', 'refs/x'):
        (tmp_path / '.git' / name).parent.mkdir(exist_ok=True)
        (tmp_path / '.git' / name).write_text('ref: refs/heads/main\n')
    monkeypatch.setattr('tempfile.tempdir', str(tmp_path))
    patches = series.read(write(tmp_path, 'a.patch', patch('two', '2')))
    assert series.apply(patches, tree) == {'mm/x.c': b'one\n2\nthree\n'}


@pytest.mark.parametrize('text', ['', 'no patch at all\n', mail('[PATCH 0/1] why', 'because')])
def test_file_without_patch(tmp_path: Path, text: str) -> None:
    with pytest.raises(Trouble, match=': no patch found'):
        series.read(write(tmp_path, 'a.patch', text))


def test_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=': no patch found'):
        series.read(tmp_path)


def test_series_file_names_missing_patch(tmp_path: Path) -> None:
    write(tmp_path / 's', 'series', 'missing.patch\n')
    with pytest.raises(Trouble, match='missing.patch: No such file'):
        series.read(tmp_path / 's')


def test_series_may_include_a_fix(tmp_path: Path) -> None:
    fix = write(tmp_path / 'fixes', '0001-fix.patch', mail('[PATCH] fix', patch('two', '2')))
    write(tmp_path / 's', '0001-again.patch', 'in other words\n' + fix.read_text().partition('\n\n')[2])
    write(tmp_path / 's', '0002-more.patch', patch('2', 'II'))
    patches = series.without(series.read(tmp_path / 's'), series.read(tmp_path / 'fixes'))
    assert [found.name for found in patches] == ['0002-more.patch']


def test_digest_ignores_messages(tmp_path: Path) -> None:
    first, second = (series.read(write(tmp_path, f'{n}.patch', f'message {n}\n' + patch('two', '2'))) for n in (1, 2))
    assert series.digest(first) == series.digest(second)
    assert series.digest(first) != series.digest(series.read(write(tmp_path, '3.patch', patch('two', 'II'))))


@pytest.mark.parametrize('fixes', [True, False], ids=['fixes', 'no-fixes'])
@pytest.mark.parametrize('folder', OWN, ids=[folder.name for folder in OWN])
def test_own_series_applies(folder: Path, fixes: bool, kernel_source: Path) -> None:
    applied = series.read(PROJECT / 'mm/series/fixes') if fixes else []
    assert series.apply([*applied, *series.without(series.read(folder), applied)], kernel_source)
