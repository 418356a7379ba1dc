# SPDX-License-Identifier: GPL-2.0
"""Run other programs, and handle their files."""

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

from host import lists
from host.errors import Trouble

# The kernel's make would misinterpret the variables of make, and those of our commands.
OF_MAKE = ('MAKEFLAGS', 'MAKEOVERRIDES', 'MAKELEVEL', 'MFLAGS', 'CROSS_COMPILE', 'KBUILD_OUTPUT')
# LC_ALL overrides them, but they are part of the keys of ccache, and not the same over ssh or in CI.
LOCALE = re.compile(r'LANG|LC_')


ERROR_LINES = 15
# Lines of a compiler, a linker or kunit.py that state an error.
ERROR_LINE = re.compile(r'^In file included|^ +from |[Ee]rror:|undefined|No rule|ERROR|Missing:')


class Failed(Exception):
    """A program ended with an error; `output` is its output."""

    def __init__(self, argv: Sequence[str | Path], status: int, output: str):
        super().__init__(f'{Path(argv[0]).name} exited with status {status}')
        self.status = status
        self.output = output

    def last_line(self) -> str:
        return (self.output.strip().splitlines() or [str(self)])[-1]

    def of_build(self, reason: str) -> Trouble:
        """The exception for the failed build of a kernel tree."""
        errors = self.first_errors()
        remedy = ('make port lists what your tree changes of what the suites use' if 'tests/ptebatch/' in errors else
                  'check that your tree or series builds without ptebatch')
        return Trouble(reason, f'see the lines above; {remedy}', errors)

    def first_errors(self) -> str:
        """The lines of a failed build's output that state the error."""
        # kunit.py prefixes the first line.
        lines = [line.removeprefix('ERROR:root:') for line in self.output.splitlines()]
        lines = [line for line in lines if line.strip() and not line.startswith(('[', '$'))]
        stopped = [line for line in lines if line.startswith('make') and '***' in line]
        messages = [line for line in lines if not line.startswith('make')]
        errors = [line for line in messages if ERROR_LINE.search(line)]
        return '\n'.join((errors or messages)[:ERROR_LINES] + stopped[:1])


def disk_full(where: object) -> Trouble:
    return Trouble(f'the disk is full ({where})', 'free some space, or set XDG_CACHE_HOME= and O= to folders on another disk')


def environment(**more: str) -> dict[str, str]:
    """The user's environment, without the variables that the kernel's make would misinterpret."""
    env = {name: value for name, value in os.environ.items()
           if name not in (*lists.VARIABLES, *OF_MAKE) and not LOCALE.match(name)}
    # The kernel's scripts run through symbolic links: Python would write their bytecode to the user's tree.
    return env | {'LC_ALL': 'C', 'PYTHONDONTWRITEBYTECODE': '1'} | more


def program(name: str) -> list[str | Path]:
    """The command line of a command of tests/__main__.py."""
    return [sys.executable, Path(__file__).parents[1], name]


def supervised(argv: Sequence[str | Path]) -> list[str | Path]:
    """The command line that runs `argv` and ends all its descendants, at the latest when this process ends."""
    return [sys.executable, '-I', '-S', Path(__file__).with_name('supervise.py'), str(os.getpid()), *argv]


def logged(argv: Sequence[str | Path], log: Path, **variables: str) -> int:
    """Run a program with its output in a file, and return its exit status."""
    with log.open('w') as output:
        return subprocess.run(supervised(argv), env=environment(**variables), stdin=subprocess.DEVNULL, stdout=output,
                              stderr=subprocess.STDOUT, check=False).returncode


def run(argv: Sequence[str | Path], *, cwd: Path | None = None, env: Mapping[str, str] | None = None, stdin: str = '',
        watch: Callable[[], None] = lambda: None) -> str:
    """Run a program to its end and return its output; call `watch` every second."""
    with tempfile.TemporaryFile('w+', errors='backslashreplace') as sink, \
         tempfile.TemporaryFile('w+', errors='surrogateescape') as source:
        source.write(stdin)
        source.seek(0)
        with subprocess.Popen(argv, cwd=cwd, env=env or environment(), text=True, stdin=source,
                              stdout=sink, stderr=subprocess.STDOUT) as process:
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
        sink.seek(0)
        output = sink.read()
    if 'No space left on device' in output:
        raise disk_full(cwd or argv[0])
    if process.returncode:
        raise Failed(argv, process.returncode, output)
    return output


def shown(path: Path) -> Path:
    """A path relative to the current folder, if it is inside."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def version(program: str) -> str:
    """The first line of a program's --version."""
    return run([program, '--version']).partition('\n')[0]


@contextmanager
def staging(target: Path) -> Iterator[Path]:
    """A temporary folder that is renamed to `target` on success and deleted on failure.

    The next run deletes the folder that a killed run left behind; callers hold a lock.
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
