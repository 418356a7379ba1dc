# SPDX-License-Identifier: GPL-2.0
"""Running other programs."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from host.errors import Trouble

# The variables of our commands, and those of make itself, mean something else to the kernel's make.
VARIABLES = tuple(re.findall(r'^([A-Z]+)=', Path(__file__).parents[1].joinpath('variables.txt').read_text(), re.MULTILINE))
OF_MAKE = ('MAKEFLAGS', 'MAKEOVERRIDES', 'MAKELEVEL', 'MFLAGS', 'CROSS_COMPILE', 'KBUILD_OUTPUT')


class Failed(Exception):
    """A program ended with an error; its output says why."""

    def __init__(self, argv: Sequence[str | Path], status: int, output: str):
        super().__init__(f'{Path(argv[0]).name} ended with status {status}')
        self.status = status
        self.output = output

    def last_line(self) -> str:
        return (self.output.strip().splitlines() or [str(self)])[-1]


def disk_full(where: object) -> Trouble:
    return Trouble(f'the disk is full ({where})', 'make room, or point XDG_CACHE_HOME= and O= to another disk')


def environment(**more: str) -> dict[str, str]:
    """The user's, without what would mislead the programs that we start."""
    env = {name: value for name, value in os.environ.items() if name not in VARIABLES + OF_MAKE}
    # Scripts of the kernel are run through links: their bytecode would land in the user's tree.
    return env | {'LC_ALL': 'C', 'PYTHONDONTWRITEBYTECODE': '1'} | more


def program(name: str) -> list[str | Path]:
    """The command that runs one of ours, see tests/__main__.py."""
    return [sys.executable, Path(__file__).parents[1], name]


def supervised(argv: Sequence[str | Path]) -> list[str | Path]:
    """The command that runs this one and ends all its descendants, at the latest when we end."""
    return [sys.executable, '-I', '-S', Path(__file__).with_name('supervise.py'), str(os.getpid()), *argv]


def run(argv: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str] | None = None, stdin: str = '',
        watch: Callable[[], None] = lambda: None) -> str:
    """Run a program to its end and return what it said; call `watch` while it runs."""
    with tempfile.TemporaryFile('w+', errors='backslashreplace') as output, \
         tempfile.TemporaryFile('w+') as given:
        given.write(stdin)
        given.seek(0)
        with subprocess.Popen(argv, cwd=cwd, env=env or environment(), text=True, stdin=given,
                              stdout=output, stderr=subprocess.STDOUT) as process:
            try:
                while True:
                    try:
                        process.wait(timeout=1)
                        break
                    except subprocess.TimeoutExpired:
                        watch()
            except BaseException:
                process.terminate()
                raise
        output.seek(0)
        said = output.read()
    if 'No space left on device' in said:
        raise disk_full(cwd or argv[0])
    if process.returncode:
        raise Failed(argv, process.returncode, said)
    return said


def shown(path: Path) -> Path:
    """Short, where the user is above it."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def version(program: str) -> str:
    """What a program says it is, in one line."""
    return run([program, '--version']).partition('\n')[0]


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A folder that becomes `target` if all goes well, and never else.

    What a killed run left behind is swept by the next; callers hold a lock.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    for left in target.parent.glob(f'.tmp-{target.name}-*'):
        shutil.rmtree(left)
    made = Path(tempfile.mkdtemp(prefix=f'.tmp-{target.name}-', dir=target.parent))
    try:
        yield made
        made.chmod(0o755)
        made.rename(target)
    except BaseException:
        shutil.rmtree(made, ignore_errors=True)
        raise
