# SPDX-License-Identifier: GPL-2.0
"""The shadow tree of links: it follows its origin, which is never modified."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from pathlib import Path
from unittest.mock import Mock

import pytest

from unit.machine import Machine
from host import lock
from trees.series import Patch
from trees import shadow
from trees.shadow import HOME, Shadow

CHANGE = Patch('a.patch', '--- a/mm/mprotect.c\n+++ b/mm/mprotect.c\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n')


def content_and_times(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {str(path): (path.read_bytes() if path.is_file() else b'', path.stat().st_mtime_ns)
            for path in folder.rglob('*')}


def updated(machine: Machine, *patches: Patch) -> Shadow:
    tree = Shadow(machine.cache / 'trees', machine.tree, patches)
    tree.bring_in_step()
    return tree


def test_origin_is_not_modified(machine: Machine) -> None:
    before = content_and_times(machine.tree)
    updated(machine)
    updated(machine, CHANGE)
    assert content_and_times(machine.tree) == before


def test_hooks_and_links(machine: Machine) -> None:
    tree = updated(machine).path
    assert (tree / 'mm/mprotect.c').is_symlink()
    assert (tree / 'mm/Makefile').read_text().endswith('\nobj-$(CONFIG_PTEBATCH_KUNIT_TEST) += tests/ptebatch/\n')
    assert f'source "{HOME}/Kconfig"\n\nendmenu' in (tree / 'mm/Kconfig').read_text()
    assert not (tree / HOME / 'Makefile').is_symlink()
    assert not (tree / 'tools/testing/kunit/kunit.py').is_symlink()
    assert os.access(tree / 'tools/testing/kunit/kunit.py', os.X_OK)


def test_series_in_its_own_tree(machine: Machine) -> None:
    plain, patched = updated(machine), updated(machine, CHANGE)
    assert plain.path != patched.path
    assert (plain.path / 'mm/mprotect.c').read_text() == 'one\ntwo\nthree\n'
    assert (patched.path / 'mm/mprotect.c').read_text() == 'one\n2\nthree\n'


def test_named_tree_takes_one_series_after_the_other(machine: Machine) -> None:
    for patches, content in (([CHANGE], 'one\n2\nthree\n'), (list[Patch](), 'one\ntwo\nthree\n')):
        tree = Shadow(machine.cache / 'trees', machine.tree, patches, 'mutants')
        tree.bring_in_step()
        assert (tree.path / 'mm/mprotect.c').read_text() == content
    assert [path.name for path in tree.path.parent.iterdir() if path.is_dir()] == [tree.path.name]


def test_second_update_changes_nothing(machine: Machine) -> None:
    tree = updated(machine, CHANGE).path
    before = {path: path.lstat().st_mtime_ns for path in tree.rglob('*') if path.name != shadow.STATE}
    updated(machine, CHANGE)
    assert {path: path.lstat().st_mtime_ns for path in tree.rglob('*') if path.name != shadow.STATE} == before


def test_follows_its_origin(machine: Machine) -> None:
    tree = updated(machine, CHANGE).path
    (machine.tree / 'mm/new.c').write_text('')
    (machine.tree / 'guest').unlink()
    (machine.tree / 'mm/mprotect.c').write_text('one\ntwo\nthree\nfour\n')
    updated(machine, CHANGE)
    assert (tree / 'mm/new.c').is_symlink()
    assert not os.path.lexists(tree / 'guest')
    assert (tree / 'mm/mprotect.c').read_text() == 'one\n2\nthree\nfour\n'


def test_interrupted_update_is_repaired(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(source: str, target: str) -> None:
        if target.endswith('/guest'):
            raise KeyboardInterrupt
        symlink(source, target)

    symlink = os.symlink
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(os, 'symlink', interrupted)
        updated(machine)
    tree = updated(machine).path
    assert (tree / 'guest').is_symlink()
    assert (tree / 'Makefile').is_symlink()


def test_file_that_goes_after_an_interrupted_update(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    (machine.tree / 'zone').write_text('')
    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(shadow.Shadow, '_write', Mock(side_effect=KeyboardInterrupt))
        updated(machine)
    (machine.tree / 'zone').unlink()
    tree = updated(machine).path
    assert not os.path.lexists(tree / 'zone')


def test_tree_of_a_former_version(machine: Machine) -> None:
    tree = updated(machine)
    state = json.loads((tree.path / shadow.STATE).read_text())
    (tree.path / shadow.STATE).write_text(json.dumps({'linked': state['linked'], 'written': state['written']}))
    (tree.path / 'guest').unlink()
    updated(machine)
    assert (tree.path / 'guest').is_symlink()


def test_build_files_are_not_linked(machine: Machine) -> None:
    excluded = ('.config', 'include/config/auto.conf', 'include/generated/autoconf.h', 'arch/x86/include/generated/x.h',
            'mm/mprotect.o', 'mm/.mprotect.o.cmd', 'vmlinux', 'mm/built-in.a', '.git/HEAD')
    included = ('arch/x86/include/asm/x.h', 'include/linux/config.h', 'mm/x.S', '.mailmap')
    for name in excluded + included:
        (machine.tree / name).parent.mkdir(parents=True, exist_ok=True)
        (machine.tree / name).write_text('')
    shutil.rmtree(machine.tree / '.git')    # a former checkout
    tree = updated(machine).path
    assert [name for name in excluded if os.path.lexists(tree / name)] == []
    assert [name for name in included if not os.path.lexists(tree / name)] == []


def test_git_checkout(machine: Machine) -> None:
    (machine.tree / '.gitignore').write_text('*.o\n')
    for command in (['init', '-q'], ['add', '.']):
        subprocess.run(['git', *command], cwd=machine.tree, check=True)
    (machine.tree / 'mm/not-added.c').write_text('')
    (machine.tree / 'mm/x.o').write_text('')
    (machine.tree / 'guest').unlink()   # still in the index of git
    before = content_and_times(machine.tree)
    tree = updated(machine).path
    assert (tree / 'mm/not-added.c').is_symlink()
    assert not os.path.lexists(tree / 'mm/x.o')
    assert not os.path.lexists(tree / 'guest')
    assert not os.path.lexists(tree / '.git')
    assert content_and_times(machine.tree) == before


def test_written_file_is_newer_than_copied_object(machine: Machine) -> None:
    """The build of a tree with a patch is copied to a tree without the patch."""
    os.utime(machine.tree / 'mm/mprotect.c', (1, 1))
    base = updated(machine, CHANGE)
    build = base.path / '.kunit-um'
    build.mkdir()
    (build / 'vmlinux').write_text('')
    (build / 'mprotect.o').write_text('with the patch')
    time.sleep(0.01)
    tree = Shadow(machine.cache / 'trees', machine.tree, [])
    tree.prepare(base, '.kunit-um')
    source, obj = tree.path / 'mm/mprotect.c', tree.path / '.kunit-um/mprotect.o'
    assert obj.read_text() == 'with the patch'
    assert source.read_text() == 'one\ntwo\nthree\n'
    assert source.stat().st_mtime_ns > obj.stat().st_mtime_ns
    # Files that are equal in both trees keep their time, so they are not rebuilt.
    assert (tree.path / 'mm/Makefile').stat().st_mtime_ns == (base.path / 'mm/Makefile').stat().st_mtime_ns
    tree.bring_in_step()
    assert source.stat().st_mtime_ns > obj.stat().st_mtime_ns


def test_tree_older_than_the_copied_build(machine: Machine) -> None:
    """A file that differs from the tree of the copied build is rebuilt, even if the file is older than the build."""
    tree, base = updated(machine, CHANGE), updated(machine)
    written = tree.path / 'mm/mprotect.c'
    os.utime(written, (1, 1))
    (base.path / '.kunit-um').mkdir()
    (base.path / '.kunit-um/vmlinux').write_text('')
    obj = base.path / '.kunit-um/mprotect.o'
    obj.write_text('without the patch')
    time.sleep(0.01)
    tree.prepare(base, '.kunit-um')
    assert written.stat().st_mtime_ns > obj.stat().st_mtime_ns


def test_build_in_use_is_not_copied(machine: Machine) -> None:
    base, tree = updated(machine, CHANGE), Shadow(machine.cache / 'trees', machine.tree, [])
    (base.path / '.kunit-um').mkdir()
    (base.path / '.kunit-um/vmlinux').write_text('')
    with lock.locked_if_free(base.path.with_name(base.path.name + '.lock')):
        tree.prepare(base, '.kunit-um')
    assert not (tree.path / '.kunit-um').exists()
    assert (tree.path / 'mm/mprotect.c').exists()


def test_prune_keeps_trees_in_use(machine: Machine) -> None:
    trees = machine.cache / 'trees'
    base, tree = updated(machine), updated(machine, CHANGE)
    others = [trees / f'linux-{age}' for age in range(shadow.KEPT_TREES + 2)]
    for age, path in enumerate([*others, base.path, tree.path]):
        path.mkdir(parents=True, exist_ok=True)
        path.with_name(path.name + '.lock').write_text('')
        os.utime(path.with_name(path.name + '.lock'), (1000 - age, 1000 - age))
    tree.prepare(base, '.kunit-um')     # each run prepares its tree with the tree locked
    with lock.locked_if_free(others[-1].with_name(others[-1].name + '.lock')):
        shadow.prune(trees)
    assert {path for path in trees.iterdir() if path.is_dir()} == {
        base.path, *others[:shadow.KEPT_TREES - 1], others[-1]}


@pytest.mark.parametrize('free', [True, False])
def test_second_run_waits_and_reports_it(tmp_path: Path, free: bool) -> None:
    calls: list[str] = []

    def waiting() -> None:
        calls.append('waiting')
        holder.terminate()

    command = ['sleep', '0' if free else '60']
    with subprocess.Popen(['flock', '-o', tmp_path / 'x', *command]) as holder:
        time.sleep(0.5)
        with lock.locked(tmp_path / 'x', waiting):
            assert calls == ([] if free else ['waiting'])
