# SPDX-License-Identifier: GPL-2.0
"""make patch: the suites as patches for a kernel tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands import patch
from host.errors import Trouble
from host.settings import PROJECT
from project.rooms import INCLUDE
from trees import in_tree
from trees import mails
from trees.shadow import HOME
from unit.machine import Machine

MAINTAINED = '''\
MEMORY MANAGEMENT - CORE
M:	A <a@example.org>
F:	mm/

MEMORY MANAGEMENT - MGLRU
M:	A <a@example.org>
F:	mm/vmscan.c
'''
INDEX = '''\
.. toctree::
   swap

.. toctree::
   :maxdepth: 1

   damon/index
   page_owner
   zsmalloc
'''


@pytest.fixture(name='tree')
def _tree(machine: Machine) -> Machine:
    files = {'MAINTAINERS': MAINTAINED, 'Documentation/mm/index.rst': INDEX, 'scripts/checkpatch.pl': '#!/bin/sh\nexit 0\n'}
    for name, text in files.items():
        (machine.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.tree / name).write_text(text)
    (machine.tree / 'scripts/checkpatch.pl').chmod(0o755)
    return machine


def words(makefile: str, name: str) -> list[str]:
    return [line.split(' += ')[1] for line in makefile.splitlines() if line.startswith(f'{name}-')]


def test_each_source_is_in_one_patch_and_in_the_last_makefile() -> None:
    files = [name for each in in_tree.patches() for name in each.files]
    sources = {name for name in files if name.endswith('.c')}
    assert len(files) == len(set(files)) and 'lib/check/table.h' in files and 'lib/link/lookup.c' not in files
    text = in_tree.makefile((PROJECT / 'Makefile').read_text(), sources)
    objects = [word for word in words(text, 'ptebatch_kunit') if not word.startswith('$')]
    twins = [f'lib/twin/{word}.o' for word in words(text, 'twins')]
    # Each is an object, or a part of the one object of its folder.
    parts = [f'{name.removesuffix("build.c")}{part}' for name in sources if name.endswith('/build.c')
             for part in INCLUDE.findall((PROJECT / name).read_text()) if part.endswith('.c')]
    assert sorted(objects + twins) == sorted(name.removesuffix('c') + 'o' for name in sources - set(parts))
    assert len(parts) == len(set(parts)) and set(parts) < sources
    assert 'KBUILD_EXTMOD' not in text and '-I$(srctree)/mm\n' in text


def test_makefile_of_a_part() -> None:
    text = in_tree.makefile((PROJECT / 'Makefile').read_text(), {'lib/row/build.c', 'mm/contpte.c'})
    assert words(text, 'ptebatch_kunit') == ['lib/row/build.o', 'mm/contpte.o']
    assert 'ptebatch_kunit-$(CONFIG_ARM64_CONTPTE) += mm/contpte.o\n' in text and 'twin' not in text.partition('# mm/internal')[0]


def test_file_of_no_patch(tmp_path: Path) -> None:
    for name in ('mm/series/suites', 'lib/new', 'mm'):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
    (tmp_path / in_tree.PATCHES).write_text((PROJECT / in_tree.PATCHES).read_text())
    (tmp_path / 'lib/new/new.c').touch()
    with pytest.raises(Trouble, match='no patch has lib/new/new.c'):
        in_tree.patches(tmp_path)


def test_configuration() -> None:
    text = in_tree.kconfig((PROJECT / 'Kconfig').read_text())
    assert 'config PTEBATCH_KUNIT_TEST' in text and 'config PTEBATCH_BENCH' in text and 'select MMU_NOTIFIER' in text
    assert 'config MMU_NOTIFIER' not in text and 'MUTATION' not in text and 'module' not in text
    config = in_tree.kunitconfig((PROJECT / 'kunitconfig').read_text())
    assert 'CONFIG_PTEBATCH_KUNIT_FEATURES=y\n' in config and 'tests/guests' not in config


def test_entries_are_in_order() -> None:
    assert in_tree.maintained(MAINTAINED).split('\n\n')[1] == in_tree.ENTRY.strip()
    assert in_tree.indexed(INDEX).split()[-3:] == ['page_owner', 'ptebatch', 'zsmalloc']
    assert in_tree.indexed(INDEX.replace('   zsmalloc\n', '')).endswith('   page_owner\n   ptebatch\n')
    with pytest.raises(Trouble, match='MAINTAINERS: no section after'):
        in_tree.maintained('')


def test_series(tree: Machine) -> None:
    done = tree.run('patch', FIXES='')
    assert done.returncode == 0, done.stderr + done.stdout
    files = sorted((tree.out / 'patch').glob('*.patch'))
    found = mails.read(tree.out / 'patch')
    assert [mail.number for mail in found] == list(range(1, len(in_tree.patches()) + 1)) and len(files) == len(found)
    assert f'[PATCH 01/{len(found)}] mm/tests: ptebatch: ' in files[0].read_text()
    assert {'mm/Kconfig', 'mm/Makefile', 'MAINTAINERS', f'{HOME}/Kconfig', f'{HOME}/.kunitconfig'} <= found[0].touched
    assert 'Documentation/mm/ptebatch.rst' in found[-1].touched
    assert 'config' not in (tree.tree / 'mm/Kconfig').read_text()
    # The bugs of a tree without fixes are named.
    assert 'ptebatch_' in (tree.out / 'patch/known.md').read_text() and 'bugs that the tree has' in done.stdout


def test_fix_that_does_not_apply(tree: Machine) -> None:
    done = tree.run('patch')
    assert done.returncode == 2 and 'git am does not apply' in done.stderr
    assert not list((tree.out / 'patch').glob('*.patch'))


def test_tree_with_the_suites(tree: Machine) -> None:
    (tree.tree / HOME).mkdir(parents=True)
    done = tree.run('patch')
    assert done.returncode == 2 and f'{HOME} is there already' in done.stderr


def test_complaints(tree: Machine) -> None:
    (tree.tree / 'scripts/checkpatch.pl').write_text('#!/bin/sh\necho complaint; exit 1\n')
    done = tree.run('patch', FIXES='')
    assert done.returncode == 1 and '[FAILED]\ncomplaint' in done.stdout
    assert tree.run('patch', SERIES=str(tree.new_file())).returncode == 2


def test_only_missing_fixes(tree: Machine) -> None:
    wanted, has = patch.lacking(PROJECT / 'mm/series/fixes', tree.tree)
    assert not has and wanted[0].number == 1
