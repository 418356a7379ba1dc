# SPDX-License-Identifier: GPL-2.0
"""The Makefile: the variables that it passes to the tools, and the exit status that it returns."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from host import lists
from host.settings import PROJECT
from host import tools


def checkout(folder: Path, tool: str) -> Path:
    """A copy of the Makefile whose command `run` executes `tool`."""
    (folder / 'tests/commands').mkdir(parents=True)
    shutil.copy(PROJECT / 'Makefile', folder)
    shutil.copytree(PROJECT / 'tests/host', folder / 'tests/host')
    for name in ('__main__.py', 'commands.txt', 'variables.txt'):
        shutil.copy(PROJECT / 'tests' / name, folder / 'tests' / name)
    set_tool(folder, tool)
    return folder


def set_tool(folder: Path, tool: str) -> None:
    (folder / 'tests/commands/run.py').write_text(f'def main(env):\n    {tool}\n    return 0\n')


def make(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(['make', '-C', folder, *args], text=True, capture_output=True, check=False)


@pytest.mark.parametrize('status', [0, 1, 2, 3])
@pytest.mark.parametrize('options', [[], ['-j4'], ['-k'], ['-s']])
def test_status_reaches_the_shell(tmp_path: Path, status: int, options: list[str]) -> None:
    folder = checkout(tmp_path, f'raise SystemExit({status})')
    assert make(folder, *options, 'run').returncode == status
    assert make(folder, *options, 'run').returncode == status   # with exit.so built


def test_killed_tool_is_a_failure(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'import os; os.kill(os.getpid(), 9)')
    assert make(folder, 'run').returncode == 128 + 9


def test_status_of_earlier_run_is_ignored(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'raise SystemExit(1)')
    make(folder, 'run')
    assert make(folder, '-n', 'run').returncode == 0
    set_tool(folder, 'pass')
    assert make(folder, 'run').returncode == 0


def test_failure_if_make_cannot_load_exit_so(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'raise SystemExit(1)')
    (folder / 'tests/host/exit.c').write_text('this is no C')
    assert make(folder, 'run').returncode == 2


def test_variables_reach_the_tool(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'import os; print(os.environ["ARCH"], os.environ["SUITES"], end="|")')
    assert 'arm64 a*b c|' in make(folder, 'run', 'ARCH=arm64', 'SUITES=a*b c').stdout


def test_all_variables_reach_the_tool_but_not_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {'BASELINE', 'CLOCK', 'TOLERANCE', 'DEBUG', 'VARIANTS', 'SELFTESTS', 'INSTALL'} <= {*lists.VARIABLES}
    folder = checkout(tmp_path, 'import os; print(*(os.environ[name] for name in os.environ["SUITES"].split()), end="|")')
    names = [name for name in lists.VARIABLES if name not in ('SUITES', 'O')]
    values = {name: name.lower() for name in names} | {'SHARD': '1/1'}      # which is checked at once
    given = [f'{name}={value}' for name, value in values.items()]
    assert ' '.join(values.values()) + '|' in make(folder, 'run', f'SUITES={" ".join(names)}', *given).stdout
    for name in names:
        monkeypatch.setenv(name, 'given')
    assert not {*names} & {*tools.environment()}


def test_fixes_apply_only_to_the_fetched_kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = checkout(tmp_path, 'import os; print("FIXES", os.environ["FIXES"], end="|")')
    (folder / 'mm/series/fixes').mkdir(parents=True)
    assert 'FIXES mm/series/fixes|' in make(folder, 'run').stdout
    assert 'FIXES |' in make(folder, 'run', 'FIXES=').stdout
    assert 'FIXES |' in make(folder, 'run', 'KSRC=/some/tree').stdout
    monkeypatch.delenv('FIXES', raising=False)
    set_tool(folder, 'import os; print("FIXES", os.environ.get("FIXES", ""))')
    assert module('run', folder=folder).stdout == f'FIXES {folder}/mm/series/fixes\n'
    assert module('run', '--fixes=', folder=folder).stdout == 'FIXES \n'
    assert module('run', '--ksrc=/some/tree', folder=folder).stdout == 'FIXES \n'


def test_help_lists_commands_and_builds_nothing(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'pass')
    ended = make(folder)
    assert ended.returncode == 0
    for word in ('make run', 'make test', 'make module', 'make mutants', 'make gate', 'make selftests',
                 'ARCH=', 'VARIANTS=', 'BASELINE=', 'SERIES=', 'Exit status'):
        assert word in ended.stdout
    assert not (folder / 'build').exists()


def test_unknown_variable_is_reported(tmp_path: Path) -> None:
    ended = make(checkout(tmp_path, 'print("run")'), 'run', 'ARHC=arm64')
    assert ended.returncode == 2 and 'run' not in ended.stdout
    assert 'ARHC=: no such variable, see make help' in ended.stderr


def test_help_has_all_commands_and_variables() -> None:
    text = make(PROJECT, '-s', 'help').stdout
    for name in ('commands.txt', 'variables.txt'):
        for line in (PROJECT / 'tests' / name).read_text().splitlines()[1:]:
            assert line.split()[0] in text and line.split(maxsplit=3)[-1] in text


def module(*args: str, folder: Path = PROJECT) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, '-m', 'tests', *args], cwd=folder, text=True, capture_output=True, check=False)


def test_arguments_become_variables(tmp_path: Path) -> None:
    folder = checkout(tmp_path, 'import os; print(os.environ["ARCH"], os.environ["TOLERANCE"])')
    assert module('run', '--arch', 'arm64', '--tolerance=3%', folder=folder).stdout == 'arm64 3%\n'


@pytest.mark.parametrize('status', [0, 1, 2, 3])
def test_status_of_python(tmp_path: Path, status: int) -> None:
    assert module('run', folder=checkout(tmp_path, f'return {status}')).returncode == status


def test_help_of_a_command_runs_nothing(tmp_path: Path) -> None:
    ended = module('run', '--help', folder=checkout(tmp_path, 'print("started")'))
    assert ended.returncode == 0 and '--tolerance TOLERANCE' in ended.stdout and 'started' not in ended.stdout


@pytest.mark.parametrize('args', [(), ('rnu',), ('run', '--arhc', 'arm64')])
def test_invalid_arguments(args: tuple[str, ...]) -> None:
    assert module(*args).returncode == 2
