# SPDX-License-Identifier: GPL-2.0
"""Variables of the twins, on small twins made for the tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from host import tools
from trees import twins

TWIN = '''\
static long *cachep;
long allocate(void) { return *cachep; }
void init(long *cache) { cachep = cache; }
int resume(void) { static int count; return ++count; }
'''
ENTRY = '__attribute__((externally_visible)) long ptebatch_twin_x(void) {{ return {0}; }}\n'


def build(folder: Path, name: str, text: str) -> Path:
    lib = folder / twins.FOLDER
    lib.mkdir(parents=True, exist_ok=True)
    (lib / f'{name}.c').write_text(text)
    (lib / f'.{name}.o.cmd').write_text(
        f'savedcmd_{twins.FOLDER}/{name}.o := gcc -Wp,-MMD,{lib}/.x.d -O2 -c -o {lib}/{name}.o '
        f'{lib}/{name}.c ; ./objtool {lib}/{name}.o\n\nsource_x := {lib}/{name}.c\n')
    (lib / f'.{name}.local.o.cmd').write_text('savedcmd_x := objcopy\n')
    return folder


def test_unreachable_variable_is_ignored(tmp_path: Path) -> None:
    assert twins.unexpected(build(tmp_path, 'x', TWIN + ENTRY.format(0)), 'nm') == ''


@pytest.mark.parametrize(('uses', 'variable'), [('allocate()', 'cachep'), ('resume()', 'count.')])
def test_reachable_variable_is_reported(tmp_path: Path, uses: str, variable: str) -> None:
    report = twins.unexpected(build(tmp_path, 'x', TWIN + ENTRY.format(uses)), 'nm')
    assert f'lib/twin/x.c: a copy of {variable}' in report


def test_allowed_variables_depend_on_the_twin(tmp_path: Path) -> None:
    text = 'unsigned long highest_memmap_pfn;\n' + ENTRY.format('highest_memmap_pfn++')
    assert twins.unexpected(build(tmp_path / 'a', 'memory', text), 'nm') == ''
    assert 'highest_memmap_pfn' in twins.unexpected(build(tmp_path / 'b', 'rmap', text), 'nm')


def test_missing_twins_are_reported(tmp_path: Path) -> None:
    assert twins.unexpected(tmp_path, 'nm').startswith('no twins in ')


def test_twin_does_not_compile(tmp_path: Path) -> None:
    with pytest.raises(tools.Failed):
        twins.unexpected(build(tmp_path, 'x', 'no C'), 'nm')
