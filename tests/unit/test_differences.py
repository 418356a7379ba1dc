# SPDX-License-Identifier: GPL-2.0
"""What kernels do in another way than the cases expect."""

from __future__ import annotations

from pathlib import Path

import pytest

from host.errors import Trouble
from results import known
from results.known import Known
from trees import differences
from trees.differences import Difference

OLDER = {
    'cost': Difference('mm: batches', 'mm/x.c', 'batch(', ['ptebatch_a > row > *: one batch']),
    'sample': Difference('mm: sample', 'mm/x.c', 'sample(', ['ptebatch_b > *'], fix='0002'),
}


def test_newest_kernel_has_all_texts(kernel_source: Path) -> None:
    assert not differences.of('none', kernel_source, {each.fix: '' for each in differences.known().values()})


def test_by_text_and_fix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, 'known', lambda: OLDER)
    assert [*differences.of('um', tmp_path, {})] == ['cost']
    assert [*differences.of('um', tmp_path, {'0002': ''})] == ['cost', 'sample']
    (tmp_path / 'mm').mkdir()
    (tmp_path / 'mm/x.c').write_text('batch(1);\nsample();\n')
    assert not differences.of('um', tmp_path, {'0002': ''})


def test_by_architecture(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(differences, 'known', lambda: {'bit': Difference('mm: bit', 'mm/x.c', 'bit', ['*'], arch='riscv')})
    assert [[*differences.of(arch, tmp_path, {})] for arch in ('riscv', 'um')] == [['bit'], []]


def test_patterns() -> None:
    bugs = known.of('none', {}, OLDER)
    assert bugs.bug(('ptebatch_a', 'row', '64K folio: one batch')) == 'cost'
    assert bugs.bug(('ptebatch_b', 'row', 'any')) == 'sample'
    assert bugs.bug(('ptebatch_a', 'row', '64K folio: 2 batches')) is None
    assert bugs and not Known()
    log = 'KTAP version 1\n1..1\n    KTAP version 1\n    # Subtest: ptebatch_b\n    1..1\n    # wrong\n    not ok 1 x\nnot ok 1 ptebatch_b\n'
    marked = known.mark_ktap(log, bugs)
    assert '    ok 1 x # XFAIL known sample: mm: sample\nok 1 ptebatch_b\n' in marked
    assert '# wrong' not in known.without(log, bugs)
    assert bugs.lines({'sample': 1}, {}) == ['known     sample: 1 case, mm: sample']


@pytest.mark.parametrize('text', ['[x]\ntitle = 1\n', '[x', ''])
def test_unreadable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setattr(differences, 'FILE', tmp_path / 'differences.toml')
    differences.known.cache_clear()
    if text:
        differences.FILE.write_text(text)
    with pytest.raises(Trouble, match='differences.toml'):
        differences.known()
    differences.known.cache_clear()
