# SPDX-License-Identifier: GPL-2.0
"""Building and booting a kernel with its own kunit.py."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from guests import accelerator
from host.console import Console, Step
from host.errors import Trouble
from host.settings import PROJECT, Settings
from host import tools

ERROR_LINES = 15

# Where a compiler, a linker and kunit.py say what is wrong.
TELLING = r'^In file included|^ +from |[Ee]rror:|undefined|No rule|ERROR|Missing:'

# What the kernel of each flavour has else than the one that the suites run in.
FLAVOURS = {
    '': (),
    'loadable': ('CONFIG_PTEBATCH_KUNIT_TEST=m',),
    'bench': ('CONFIG_PTEBATCH_BENCH=y', 'CONFIG_DEBUG_VM=n', 'CONFIG_DEBUG_VM_PGFLAGS=n', 'CONFIG_DEBUG_LIST=n',
              'CONFIG_DEBUG_ATOMIC_SLEEP=n', 'CONFIG_FAULT_INJECTION=n', 'CONFIG_FAILSLAB=n'),
    'debug': ('CONFIG_KASAN=y', 'CONFIG_PROVE_LOCKING=y', 'CONFIG_PAGE_TABLE_CHECK=y',
              'CONFIG_PAGE_TABLE_CHECK_ENFORCED=y'),
    'selftests': (),    # which selftests.py configures
}
# What a reproducer needs: a file system with large folios and page_mkwrite(). Not in arch/x86_64.config, which is also
# that of the benches: the recorded figures would no longer be comparable.
REPRODUCERS = ('CONFIG_EXT4_FS=y',)
TCG = ['-accel', 'tcg']
# One instruction is one nanosecond; a CPU that waits does not wait for the host's clock.
COUNTING = '-icount shift=0,sleep=off -seed 1 -rtc base=2026-01-01,clock=vm'

KUNIT = ['tools/testing/kunit/kunit.py']
# Both keep a crash from looking like a hang.
KERNEL_ARGS = ('panic=-1', 'oops=panic')
# Without it, KASAN reports only the first bug of a boot.
DEBUG_ARGS = ('kasan_multi_shot',)


def _objects(build: Path, since: float) -> int:
    """How many objects the build has made so far."""
    count = 0
    for folder, _, names in os.walk(build):
        for name in names:
            with suppress(FileNotFoundError):   # the build goes on meanwhile
                count += name.endswith('.o') and os.lstat(f'{folder}/{name}').st_mtime >= since
    return count


def first_errors(output: str) -> str:
    """Of all that a failed build says, what it failed for."""
    # kunit.py puts its own before whatever comes first.
    lines = [line.removeprefix('ERROR:root:') for line in output.splitlines()]
    lines = [line for line in lines if line.strip() and not line.startswith(('[', '$'))]
    stopped = [line for line in lines if line.startswith('make') and '***' in line]
    said = [line for line in lines if not line.startswith('make')]
    telling = [line for line in said if re.search(TELLING, line)]
    return '\n'.join((telling or said)[:ERROR_LINES] + stopped[:1])


class Guest:
    """A kernel of one architecture in a shadow tree."""

    def __init__(self, settings: Settings, tree: Path):
        self.settings = settings
        self.arch = settings.arch
        self.variant = settings.variant
        self.tree = tree
        # A direct child of the tree: then the kernel's build uses relative paths only, and ccache
        # finds in one tree what it compiled in another.
        self.build_folder = f'.kunit-{settings.kernel}'
        self.build_path = tree / self.build_folder
        self.accel: list[str] = []
        self.seconds = 0.0      # that it ran when it was last booted

    def env(self, **more: str) -> dict[str, str]:
        return tools.environment(
            PATH=f'{PROJECT}/tests/guests/qemu:{os.environ["PATH"]}', PTEBATCH_ACCEL=' '.join(self.accel),
            CCACHE_DIR=str(self.settings.cache / 'ccache'), PYTHONUNBUFFERED='1', **more)

    def _kunit(self, command: str, *args: str) -> list[str | Path]:
        return tools.supervised([sys.executable, *KUNIT, command, *args])

    def _compilers(self) -> tuple[str, str]:
        return f'CC=ccache {self.arch.cross_compile}gcc', 'HOSTCC=ccache gcc'

    def _common(self) -> list[str]:
        arch = self.arch
        fragments = [PROJECT / 'kunitconfig', PROJECT / f'tests/guests/arch/{arch.name}.config']
        args = ['--arch', arch.name, '--build_dir', self.build_folder,
                *(f'--kunitconfig={path}' for path in fragments),
                *(f'--make_options={option}' for option in self._compilers())]
        if arch.cross_compile:
            args.append(f'--cross_compile={arch.cross_compile}')
        if arch.emulated:
            args.append(f'--qemu_config={PROJECT}/tests/guests/arch/{arch.name}.py')
        options = FLAVOURS[self.settings.flavour] + (self.variant.config if self.variant else ())
        if self.settings.kernel == 'x86_64':
            options += REPRODUCERS
        return args + [f'--kconfig_add={option}' for option in options]

    def build(self, step: Step) -> None:
        """Configure and build; only what changed is built."""
        before = time.time()
        self.build_path.mkdir(exist_ok=True)
        try:
            tools.run(
                self._kunit('build', *self._common(), f'--jobs={self.settings.jobs}'), cwd=self.tree, env=self.env(),
                watch=lambda: self._progress(step, before))
        except tools.Failed as failed:
            raise Trouble(f'the kernel does not build for ARCH={self.arch.name} in {self.build_path}',
                          'see the lines above; a series or a tree of your own must build by itself',
                          first_errors(failed.output)) from failed
        step.note = f'{self.arch.name}, {_objects(self.build_path, before)} objects'

    def make(self, *args: str, step: Step | None = None) -> str:
        """The kernel's own make, in the build folder as it was built; a step shows how far it is."""
        before = time.time()
        return tools.run(tools.supervised(['make', f'O={self.build_folder}', *self.make_args(), *args]), cwd=self.tree,
                         env=self.env(), watch=lambda: self._progress(step, before))

    def _progress(self, step: Step | None, before: float) -> None:
        if step:
            step.progress(f'{self.arch.name}, {_objects(self.build_path, before)} objects')

    def make_args(self) -> list[str]:
        """What the kernel's make is to be told for this architecture."""
        return [f'ARCH={self.arch.name}', f'CROSS_COMPILE={self.arch.cross_compile}', f'-j{self.settings.jobs}',
                *self._compilers()]

    def choose_accelerator(self, console: Console) -> None:
        if self.settings.counting or self.variant:
            self.accel = TCG
            if self.variant:
                console.say('accel     tcg: a variant is a CPU of QEMU\'s')
        elif self.arch.emulated:
            with console.step('accel') as step:
                self.accel, step.note = accelerator.choose(self.arch)

    def boot(self, hear: Callable[[str], None], *args: str, initramfs: Path | None = None,
             kernel_args: tuple[str, ...] = (), suites: str = '') -> int:
        """Boot under `kunit.py exec`, which also parses what the suites print; returns its status."""
        kernel_args = KERNEL_ARGS + (DEBUG_ARGS if self.settings.debug else ()) + kernel_args
        command = self._kunit('exec', *self._common(), f'--timeout={self.settings.timeout}',
                              *(f'--kernel_args={arg}' for arg in kernel_args), *args)
        env = self.env()
        if initramfs:
            command.append('--qemu_args=' + f'-initrd {shlex.quote(str(initramfs))}')
            env['PTEBATCH_SHUTDOWN'] = 'no'
        if self.settings.counting:
            command.append(f'--qemu_args={COUNTING}')
        if self.variant:
            command.append(f'--qemu_args={self.variant.qemu_args}')
        if suites:
            command.append(suites)
        self.log.unlink(missing_ok=True)
        begun = time.monotonic()
        with subprocess.Popen(command, cwd=self.tree, env=env, stdin=subprocess.DEVNULL, text=True,
                              errors='backslashreplace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            assert process.stdout
            try:
                for line in process.stdout:
                    hear(line.rstrip())
            except BaseException:
                process.terminate()     # not kill: the supervisor ends the guest
                raise
        self.seconds = time.monotonic() - begun
        return process.returncode

    @property
    def log(self) -> Path:
        """All that the kernel printed at its last boot."""
        return self.build_path / 'test.log'

    def ktap(self, log: str) -> str:
        """The KTAP lines of a boot log."""
        return tools.run(self._kunit('parse', '--raw_output=kunit'), cwd=self.tree, stdin=log)

    def parse(self, log: str, args: Sequence[str]) -> tuple[int, str]:
        """The status of `kunit.py parse` on a part of a boot log, and what it says."""
        try:
            return 0, tools.run(self._kunit('parse', *args), cwd=self.tree, stdin=log)
        except tools.Failed as failed:
            return failed.status, failed.output

    def suite_names(self, initramfs: Path | None = None) -> list[str]:
        """The names of all suites that the kernel has."""
        heard: list[str] = []
        self.boot(heard.append, '--raw_output=all', initramfs=initramfs, kernel_args=('kunit.action=list',))
        cases = re.findall(r'^(?:\[[^]]*\] )?([^\s.]+)\.[^\s.]+$', '\n'.join(heard), re.MULTILINE)
        return sorted(set(cases))
