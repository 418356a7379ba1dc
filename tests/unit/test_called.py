# SPDX-License-Identifier: GPL-2.0
"""The functions that batched functions call, and the tables of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from host import exit_status
from host.errors import Trouble
from project import batched, called

SOURCES = {
    'mm/a.c': '''\
static int walk(pte_t *pte)
{
	return checks(pte);
}
int checks(pte_t *pte)
{
	/* unused(pte) */
	return here(pte) + there(pte);
}
static int here(pte_t *pte)
{
	return 1;
}
static void unused(pte_t *pte)
{
}
int batch(void)
{
	return each(walk);
}
''',
    'mm/b.c': '''\
int there(pte_t *pte)
{
	return 1;
}
static int here(pte_t *pte)
{
	return 1;
}
''',
}


@pytest.fixture(autouse=True)
def two_batched(monkeypatch: pytest.MonkeyPatch) -> None:
    """batch() in a.c, and a function in b.c that no source has: its file counts."""
    monkeypatch.setattr(batched, 'functions', lambda: ['mm/a.c: batch()', 'mm/b.c: gone()'])


def read(file: str) -> str:
    return SOURCES.get(file, '')


def test_follows_calls_in_the_files_of_batched_functions() -> None:
    """What is handed over is called; of two functions of one name, that of the same file; no word of a comment."""
    assert {*called.everything(read)} == {'mm/a.c: batch()', 'mm/b.c: gone()', 'mm/a.c: walk()', 'mm/a.c: checks()',
                                          'mm/a.c: here()', 'mm/b.c: there()'}


def test_differences(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table, left_out = tmp_path / 'called.txt', tmp_path / 'left_out.csv'
    table.write_text('mm/a.c: walk()\nmm/a.c: here()\nmm/b.c: there()\nmm/a.c: unused()\n')
    left_out.write_text('function,reason\n*: there(),another file\n*: gone(),not in this kernel\n')
    monkeypatch.setattr(called, 'TABLE', table)
    monkeypatch.setattr(called, 'LEFT_OUT', left_out)
    called.left_out.cache_clear()
    assert called.differences(read) == [
        'mm/a.c: checks() is called by a batched function, but in no table: add it to called.txt or left_out.csv',
        'mm/a.c: unused() is in called.txt, but is called by no batched function',
        'mm/b.c: there() is in called.txt and in left_out.csv',
        '*: gone() is in left_out.csv, but matches nothing']
    assert 'mm/b.c: there()' not in called.functions(read) and 'mm/a.c: walk()' in called.functions(read)
    called.left_out.cache_clear()


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / 'mm').mkdir()
    (tmp_path / 'mm/a.c').write_text(SOURCES['mm/a.c'])
    assert called.main([str(tmp_path)]) == exit_status.FAILED
    assert 'mm/a.c: walk() is called by a batched function, but in no table' in capsys.readouterr().out
    with pytest.raises(Trouble, match='expected one kernel tree'):
        called.main([str(tmp_path / 'none')])
