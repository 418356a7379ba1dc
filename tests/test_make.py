# SPDX-License-Identifier: GPL-2.0
"""The Makefile: what it hands on, and what it hands back."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

import tools
from settings import PROJECT


def checkout(folder: Path, tool: str) -> Path:
    """A copy of the Makefile with a tool that does something else."""
    (folder / 'tests').mkdir()
    shutil.copy(PROJECT / 'Makefile', folder)
    for name in ('exit.c', 'bootstrap'):
        shutil.copy(PROJECT / 'tests' / name, folder / 'tests')
    (folder / 'tests/run.py').write_text(tool)
    return folder


def make(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(['make', '-C', folder, *args], text=True, capture_output=True, check=False)


@pytest.mark.parametrize('status', [0, 1, 2, 3])
@pytest.mark.parametrize('options', [[], ['-j4'], ['-k'], ['-s']])
def test_status_reaches_the_shell(tmp_path: Path, status: int, options: list[str]) -> None:
    folder = checkout(tmp_path, f'raise SystemExit({status})')
    assert make(folder, *options, 'run').returncode == status
    assert make(folder, *options, 'run').returncode == status   # now that exit.so is there


def test_a_killed_tool_is_no_success(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'import os; os.kill(os.getpid(), 9)')
    assert make(folder, 'run').returncode == 128 + 9


def test_an_old_status_does_not_count(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'raise SystemExit(1)')
    make(folder, 'run')
    assert make(folder, '-n', 'run').returncode == 0
    (folder / 'tests/run.py').write_text('')
    assert make(folder, 'run').returncode == 0


def test_failure_where_make_cannot_load(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'raise SystemExit(1)')
    (folder / 'tests/exit.c').write_text('this is no C')
    assert make(folder, 'run').returncode == 2


def test_variables_reach_the_tool(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'import os; print(os.environ["ARCH"], os.environ["SUITES"], end="|")')
    assert 'arm64 a*b c|' in make(folder, 'run', 'ARCH=arm64', 'SUITES=a*b c').stdout


def test_all_variables_are_handed_on_and_none_further(tmp_path: Path) -> None:
    exported = re.findall(r'^export (.*)', (PROJECT / 'Makefile').read_text(), re.MULTILINE)[0].split()
    assert {'BASELINE', 'CLOCK', 'TOLERANCE', 'DEBUG', 'VARIANTS', 'SELFTESTS'} <= {*exported} <= {*tools.OURS}
    folder = checkout(tmp_path, 'import os; print(os.environ["BASELINE"], end="|")')
    assert 'a.json|' in make(folder, 'run', 'BASELINE=a.json').stdout


def test_fixes_are_for_the_fetched_kernel(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'import os; print("FIXES", os.environ["FIXES"], end="|")')
    (folder / 'mm/series/fixes').mkdir(parents=True)
    assert 'FIXES mm/series/fixes|' in make(folder, 'run').stdout
    assert 'FIXES |' in make(folder, 'run', 'FIXES=').stdout
    assert 'FIXES |' in make(folder, 'run', 'KSRC=/some/tree').stdout


def test_help_lists_commands_and_builds_nothing(tmp_path: Path) -> None:
    folder = checkout(tmp_path, '')
    said = make(folder)
    assert said.returncode == 0
    for word in ('make run', 'make test', 'make module', 'make mutants', 'make gate', 'make selftests', 'ARCH=', 'VARIANTS=', 'BASELINE=', 'SERIES=', 'Exit status'):
        assert word in said.stdout
    assert not (folder / 'build').exists()
