# SPDX-License-Identifier: GPL-2.0
"""Build and boot a kernel with its own kunit.py."""

from __future__ import annotations

import hashlib
import os
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from fnmatch import fnmatchcase
from pathlib import Path

from guests import accelerator
from host.console import Console, Step
from host.errors import Trouble
from host.kinds import KINDS
from host.settings import PROJECT, Settings
from host import tools

# The reproducers need a file system with large folios and page_mkwrite(), hugetlb pages, and page tables
# whose allocation fails. The options are not in arch/x86_64.config: the benches use that file too, and the recorded figures
# would no longer be comparable.
REPRODUCERS = ('CONFIG_EXT4_FS=y', 'CONFIG_HUGETLBFS=y', 'CONFIG_FAIL_PAGE_ALLOC=y', 'CONFIG_FAULT_INJECTION_DEBUG_FS=y')
# gcc adds the counters after the early inlining: a line that only calls small functions would have none.
EACH_LINE = '-fno-early-inlining'
# One instruction is one nanosecond; sleep=off: an idle CPU does not wait for the host's clock.
# The plugin that counts the laps finds functions by the addresses in vmlinux.
COUNTING_ARGS = ('nokaslr',)
COUNTING = '-icount shift=0,sleep=off -seed 1 -rtc base=2026-01-01,clock=vm'

KUNIT = ['tools/testing/kunit/kunit.py']
# In the build folder: a digest of the options of its configuration.
CONFIGURED = '.ptebatch-configured'
# An oops or a panic ends the guest at once, instead of a timeout.
KERNEL_ARGS = ('panic=-1', 'oops=panic')
# These suites bring a second CPU online. A machine of the others has only one: on arm64, QEMU wakes the thread of the
# second, even if it is offline, for each TLB invalidation, which takes a quarter of the time.
ON_TWO_CPUS = ('ptebatch_interleavings', 'ptebatch_threads', 'ptebatch_vmscan_threads')
# Of two sockets: the kernel warns of cores of one package on different NUMA nodes.
CPUS, CPUS_ARGS = '-smp 2,sockets=2,cores=1', ('maxcpus=1',)


class Guest:
    """A kernel of one architecture in a shadow tree."""

    def __init__(self, settings: Settings, tree: Path):
        self.settings = settings
        self.arch = settings.arch
        self.variant = settings.variant
        self.tree = tree
        # In a direct child of the tree, the kernel's build uses only relative paths, and ccache shares objects
        # between trees.
        self.build_folder = f'.kunit-{settings.kernel}'
        self.build_path = tree / self.build_folder
        self.boot_path = self.build_path    # where kunit.py works
        self.accel: list[str] = []
        self.plugin = ''        # QEMU's option -plugin
        self.seconds = 0.0      # duration of the last boot

    def env(self, **more: str) -> dict[str, str]:
        return tools.environment(
            PATH=f'{PROJECT}/tests/guests/qemu:{os.environ["PATH"]}', PTEBATCH_ACCEL=' '.join(self.accel),
            CCACHE_DIR=str(self.settings.cache / 'ccache'), CCACHE_DEPEND='1',
            PYTHONUNBUFFERED='1', **more)

    @property
    def plain(self) -> str:
        """The file that the guest starts instead of a compressed image, in the build folder; empty for the image."""
        return '' if self.settings.kind.bench or self.settings.kind == KINDS['selftests'] else self.arch.plain

    def _kunit(self, command: str, *args: str) -> list[str | Path]:
        return tools.supervised([sys.executable, *KUNIT, command, *args])

    def _compilers(self) -> tuple[str, str]:
        return f'CC=ccache {self.arch.cross_compile}gcc', 'HOSTCC=ccache gcc'

    def _variables(self) -> list[str]:
        """The variables of the kernel's make for objects that are compiled in another way than the rest."""
        # Other folders have objects of the same name, for example arch/x86/boot/memory.o.
        return [*self.settings.kind.make_args,
                *(f'{variable}_{source.stem}.o=$(if $(filter {source.parent},$(obj)),{value})'
                  for source in self.settings.coverage
                  for variable, value in (('GCOV_PROFILE', 'y'), ('CFLAGS', EACH_LINE)))]

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
        options = self.settings.kind.config + (self.variant.config if self.variant else ())
        if self.plain:
            options += self.arch.plain_config
        if self.arch.name == 'x86_64' and not self.settings.kind.kernel:
            options += REPRODUCERS
        options += self.settings.config
        return args + [f'--kconfig_add={option}' for option in options]

    def _inputs(self) -> str:
        """What the configuration depends on, except for the Kconfig files of the tree."""
        files = [path for path in sorted((PROJECT / 'tests/guests/arch').glob(f'{self.arch.name}.*'))]
        parts = [tools.version(f'{self.arch.cross_compile}gcc'), *self._common(),
                 *(path.read_text() for path in (PROJECT / 'kunitconfig', *files))]
        return hashlib.sha256('\0'.join(parts).encode()).hexdigest()

    def _configured(self) -> bool:
        """Whether the configuration is that of the last configure(), and newer than all Kconfig files."""
        stamp = self.build_path / CONFIGURED
        try:
            if stamp.read_text() != self._inputs() or (self.build_path / '.config').stat().st_mtime_ns > stamp.stat().st_mtime_ns:
                return False
            # The kernel's make lists the Kconfig files that it has read here.
            read = (self.build_path / 'include/config/auto.conf.cmd').read_text()
            return all((self.tree / name).stat().st_mtime_ns < stamp.stat().st_mtime_ns
                       for name in re.findall(r'^\t(\S+)', read.partition('\n\n')[2].partition('\n\n')[0], re.MULTILINE))
        except FileNotFoundError:
            return False

    def configure(self) -> None:
        """Write the configuration, unless the last one still holds: kunit.py calls make and many compilers for that."""
        if self._configured():
            return
        self.build_path.mkdir(exist_ok=True)
        try:
            # The second time, kunit.py checks what make olddefconfig has left of the options.
            tools.run(self._kunit('config', *self._common()), cwd=self.tree, env=self.env())
            self.make('olddefconfig')
            tools.run(self._kunit('config', *self._common()), cwd=self.tree, env=self.env())
        except tools.Failed as failed:
            raise failed.of_build(f'the kernel has no configuration for ARCH={self.arch.name} in {self.build_path}') from failed
        (self.build_path / CONFIGURED).write_text(self._inputs())

    def build(self, step: Step) -> None:
        """Configure and build incrementally: what the guest starts, instead of all that `kunit.py build` makes."""
        self.configure()
        built = self._built()
        try:
            # A module outside of the tree needs Module.symvers.
            more = ['modules'] if self.settings.kind.loadable else []
            self.make('-s', Path(self.plain).name or self.arch.image, *more, *self._variables(), step=step)
        except tools.Failed as failed:
            raise failed.of_build(f'the kernel does not build for ARCH={self.arch.name} in {self.build_path}') from failed
        step.note = built()

    def make(self, *args: str, step: Step | None = None) -> str:
        """Run the kernel's own make in the build folder; the step shows the progress."""
        built = self._built()

        def watch() -> None:
            if step:
                step.progress(built)
        return tools.run(tools.supervised(['make', f'O={self.build_folder}', *self.make_args(), *args]), cwd=self.tree,
                         env=self.env(), watch=watch)

    def _built(self) -> Callable[[], str]:
        """A function that returns the progress of a build that begins now."""
        begun = time.time()

        def progress() -> str:
            count = 0
            for folder, _, names in os.walk(self.build_path):
                for name in names:
                    with suppress(FileNotFoundError):   # the build is running and deletes temporary files
                        count += name.endswith('.o') and os.lstat(f'{folder}/{name}').st_mtime >= begun
            return f'{self.arch.name}, {count} objects'
        return progress

    def make_args(self) -> list[str]:
        """The variables of the kernel's make for this architecture."""
        return [f'ARCH={self.arch.name}', f'CROSS_COMPILE={self.arch.cross_compile}', f'-j{self.settings.jobs}',
                *self._compilers()]

    def choose_accelerator(self, console: Console) -> None:
        if self.settings.counting or self.variant:
            self.accel = accelerator.TCG
            if self.variant:
                console.say('accel     tcg: a variant is an emulated CPU')
        elif self.arch.emulated:
            with console.step('accel') as step:
                self.accel, step.note = accelerator.choose(self.arch, self.settings.cache)
        # That a CPU that spins gives way was tried on the complete architectures only.
        if self.accel == accelerator.TCG and (self.settings.kind.races or not self.arch.complete):
            self.accel = accelerator.TCG_THREADS

    def initramfs(self, name: str, lines: Sequence[str]) -> Path:
        """Pack an initramfs that has these lines in the format of the kernel's gen_init_cpio."""
        contents, packed = (self.build_path / f'ptebatch-{name}{suffix}' for suffix in ('', '.cpio'))
        contents.write_text('\n'.join(lines) + '\n')
        try:
            tools.run([self.build_path / 'usr/gen_init_cpio', '-o', packed, contents])
        except tools.Failed as failed:
            raise Trouble(f'the initramfs of the {name} does not build ({failed})', 'see the lines above',
                          failed.output) from failed
        return packed

    def boot_suites(self, on_line: Callable[[str], None], *args: str, initramfs: Path | None = None,
                    kernel_args: tuple[str, ...] = ()) -> int:
        """Boot to run the suites; return the status of kunit.py."""
        return self._boot(on_line, self._suites_command(args, kernel_args), initramfs)

    @contextmanager
    def started_suites(self, *args: str, kernel_args: tuple[str, ...] = (), suites: str = '') -> Iterator[subprocess.Popen[str]]:
        """Boot to run the suites, or only these, while the caller reads the output of kunit.py."""
        with self._started(self._suites_command(args, kernel_args, suites)) as process:
            yield process

    def _needs_two_cpus(self) -> bool:
        pattern = self.settings.suites.partition('.')[0]
        # In a kernel with mutants, lib/kernel/mutation.c chooses the cases.
        return self.settings.kind.mutation or not pattern or any(fnmatchcase(name, pattern) for name in ON_TWO_CPUS)

    def _suites_command(self, args: tuple[str, ...], kernel_args: tuple[str, ...], suites: str = '') -> list[str | Path]:
        kernel_args += self.arch.suites_args
        # KUnit ends a slow case after 900 s by default.
        if self.settings.long:
            kernel_args += (f'kunit.timeout={self.settings.timeout}',)
        # The benches have one CPU: only then is the number of instructions always the same.
        if self.arch.emulated and not self.settings.kind.bench:
            kernel_args += self.arch.emulated_args
            if self._needs_two_cpus():
                args += (f'--qemu_args={CPUS}',)
                kernel_args += CPUS_ARGS
        return self._command(args, kernel_args, suites or self.settings.suites)

    def boot(self, on_line: Callable[[str], None], *args: str, initramfs: Path | None = None,
             kernel_args: tuple[str, ...] = (), suites: str = '') -> int:
        """Boot under `kunit.py exec`, which also parses the KTAP output of the suites; return its status."""
        return self._boot(on_line, self._command(args, kernel_args, suites), initramfs)

    def _command(self, args: tuple[str, ...], kernel_args: tuple[str, ...], suites: str) -> list[str | Path]:
        kernel_args = (KERNEL_ARGS + self.settings.kind.kernel_args + (COUNTING_ARGS if self.settings.counting else ()) + kernel_args)
        command = self._kunit('exec', *self._common(), f'--build_dir={self.boot_path.relative_to(self.tree)}',
                              f'--timeout={self.settings.timeout}', *(f'--kernel_args={arg}' for arg in kernel_args), *args)
        if self.plain:      # the last -kernel counts
            command.append(f'--qemu_args=-kernel {self.build_folder}/{self.plain}')
        if self.settings.counting:
            command.append(f'--qemu_args={COUNTING}')
        if self.plugin:
            command.append('--qemu_args=' + f'-plugin {shlex.quote(self.plugin)}')
        if self.variant:
            command.append(f'--qemu_args={self.variant.qemu_args}')
        return [*command, *([suites] if suites else [])]

    @contextmanager
    def _started(self, command: Sequence[str | Path], initramfs: Path | None = None) -> Iterator[subprocess.Popen[str]]:
        env = self.env()
        if initramfs:
            command = [*command, '--qemu_args=' + f'-initrd {shlex.quote(str(initramfs))}']
            env['PTEBATCH_SHUTDOWN'] = 'no'
        self.log.unlink(missing_ok=True)
        with subprocess.Popen(command, cwd=self.tree, env=env, stdin=subprocess.DEVNULL, text=True,
                              errors='backslashreplace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
            try:
                yield process
            except BaseException:
                process.terminate()     # not kill: the supervisor ends the guest
                raise

    def _boot(self, on_line: Callable[[str], None], command: Sequence[str | Path], initramfs: Path | None) -> int:
        begun = time.monotonic()
        with self._started(command, initramfs) as process:
            assert process.stdout
            for line in process.stdout:
                on_line(line.rstrip())
        self.seconds = time.monotonic() - begun
        return process.returncode

    def boot_in(self, folder: str) -> None:
        """Let kunit.py work in a folder of the build folder, so that a guest may run beside one of the build folder."""
        self.boot_path = self.build_path / folder
        self.boot_path.mkdir(exist_ok=True)
        if not self.arch.emulated:      # kunit.py starts the kernel of its folder
            kernel = self.boot_path / self.arch.image
            kernel.unlink(missing_ok=True)
            kernel.symlink_to(self.build_path / self.arch.image)

    @property
    def log(self) -> Path:
        """The kernel log of the last boot."""
        return self.boot_path / 'test.log'

    def read_log(self, details: str = '') -> str:
        """The kernel log of the last boot; Trouble with these details if the kernel did not start."""
        if not self.log.exists():
            raise Trouble('the kernel did not start', 'see the lines above', details)
        return self.log.read_text(errors='replace')

    def ktap(self, log: str) -> str:
        """The KTAP lines of a boot log."""
        return tools.run(self._kunit('parse', '--raw_output=kunit'), cwd=self.tree, stdin=log)

    def parse(self, log: str, args: Sequence[str]) -> tuple[int, str]:
        """Run `kunit.py parse` on a part of a boot log; return its status and its output."""
        try:
            return 0, tools.run(self._kunit('parse', *args), cwd=self.tree, stdin=log)
        except tools.Failed as failed:
            return failed.status, failed.output

    def cases(self, suites: str = '', initramfs: Path | None = None) -> list[tuple[str, str]]:
        """The names of suite and case of all cases in the kernel that match, in the order in which they run."""
        output: list[str] = []
        self.boot(output.append, '--raw_output=all', initramfs=initramfs, kernel_args=('kunit.action=list',), suites=suites)
        return re.findall(r'^(?:\[[^]]*\] )?([^\s.]+)\.([^\s.]+)$', '\n'.join(output), re.MULTILINE)

    def suite_names(self, initramfs: Path | None = None) -> list[str]:
        """The names of all suites in the kernel."""
        return sorted({suite for suite, _ in self.cases(initramfs=initramfs)})
