# SPDX-License-Identifier: GPL-2.0
"""`make reproduce`: run one user-space program per known bug on the kernel without fixes, with fixes, and with a series."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from commands import run
from guests.guest import CPUS, CPUS_ARGS, Guest
from host.console import Console
from host.errors import Trouble
from host import exit_status
from host import lock
from host import packages
from host.settings import PROJECT, Settings
from host import tools
from results.markdown import table
from results.report import Counts
from trees.shadow import prune

PROGRAMS = PROJECT / 'tests/reproducers'
INIT = PROJECT / 'tests/guests/reproduce_init.c'
IMAGE_SIZE = '16M'
# Programs bring the second CPU online, if they need it. brd: two RAM disks, for the file system and for swap space. printk.devkmsg: no rate limit for the output of init.
KERNEL_ARGS = ('brd.rd_nr=2', 'printk.devkmsg=on')

RIGHT, BUG, CANNOT_TELL, NOT_RUN, DISPUTED = 'right', 'BUG', 'cannot tell', 'not run', 'disputed'
STATUS = {0: RIGHT, 1: BUG, 2: CANNOT_TELL}
GOOD = (RIGHT, DISPUTED)
BAD = re.compile(r'^.*(?:WARNING: |BUG: |Oops: |Kernel panic - ).*$', re.MULTILINE)

# Bugs that no user-space program can show under QEMU, with the reason.
WITHOUT_PROGRAM = (
    ('um: set_ptes() maps the wrong pages', 'um-advance-by-one-page-per-entry-in-set-ptes',
     'UML has no large folios in user space, so nothing calls set_ptes() for more than two pages'),
    ('x86: batch of shadow-stack and read-only PTEs', 'mm-do-not-batch-a-shadow-stack-PTE-with-read-only-on',
     'needs a CPU with shadow stacks (CET), which QEMU 7.2 does not emulate'),
    ('arm64 with LPA2: migration forgets the accessed bit', 'arm64-mm-do-not-clear-PTE_CONT-of-entries-that-are-no',
     'needs a CPU with LPA2, and no program was written for arm64'),
    ('arm64: a write fault in a contpte block copies the page twice', 'mm-memory-read-the-PTE-before-a-copy-on-write',
     'no program was written for arm64'),
    ('DAMON clears accessed bits behind the sampled page in secondary MMUs', 'mm-damon-clear-young-only-of-the-sampled-page-in-sec',
     'needs KVM, and DAMON in the kernel of the reproducers'),
    ('folio_referenced() takes a device-exclusive entry for a present PTE', 'mm-rmap-do-not-clear-the-accessed-bit-of-device-excl',
     'device-exclusive entries need the driver of a GPU, or test_hmm'),
    ('fault-around maps nothing if the page table is missing and the first folio extends beyond the file',
     'mm-filemap-install-the-page-table-for-a-folio-beyond', 'later faults are right, so that no program sees a difference'),
    ('UFFDIO_MOVE onto a device-private PMD does not return', 'userfaultfd-do-not-retry-UFFDIO_MOVE-onto-a-PMD-that-',
     'a device-private PMD needs the driver of a GPU, or test_hmm'),
    ('mremap() of a device-private PMD does not set soft-dirty', 'mm-huge_memory-mark-device-private-PMDs-that-move-so',
     'a device-private PMD needs the driver of a GPU, or test_hmm'),
)


@dataclass(frozen=True)
class Reproducer:
    """A known bug, its fix in mm/series, and the program that shows it, or the reason why no program can.

    A question to the mailing list has no fix: what its program shows is disputed, on each kernel.
    """

    bug: str
    fix: str
    program: str = ''
    reason: str = ''
    question: str = ''
    arch: str = 'x86_64'    # where the program runs


@dataclass(frozen=True)
class Result:
    """The verdict of a program on one kernel (right, BUG, disputed, cannot tell, not run), and its last line or the kernel's."""

    verdict: str
    details: str = ''

    def __str__(self) -> str:
        return f'{self.verdict}: {self.details}' if self.details else self.verdict


def _key(name: str, path: Path, default: str | None = None) -> str:
    match = re.search(rf'^ \* {name}: (.*)$', path.read_text(), re.MULTILINE)
    if not match and default is None:
        raise Trouble(f'{path}: the line "{name}:" is missing', f'add it to the first comment, for example "{name}: none"')
    return match[1] if match else default or ''


def known() -> list[Reproducer]:
    """All known bugs; the first comment of each program has the key `bug`, `fix` or `question`, and `arch` unless x86_64."""
    programs = []
    for path in sorted(PROGRAMS.glob('*.c')):
        question = _key('question', path, '')
        fix = _key('fix', path, 'none' if question else None)
        programs.append(Reproducer(_key('bug', path), fix, path.stem, question=question, arch=_key('arch', path, 'x86_64')))
    return programs + [Reproducer(bug, fix, reason=reason) for bug, fix, reason in WITHOUT_PROGRAM]


def of_architecture(arch: str) -> list[Reproducer]:
    """All known bugs; those whose program runs on another architecture have the reason instead."""
    return [bug if not bug.program or bug.arch == arch else replace(bug, program='', reason=f'{bug.program} runs with ARCH={bug.arch}')
            for bug in known()]


def sources(bugs: Sequence[Reproducer]) -> list[Path]:
    """The sources of the programs that run."""
    return [PROGRAMS / f'{bug.program}.c' for bug in bugs if bug.program]


def columns(settings: Settings) -> dict[str, Settings]:
    """The kernels by column: without fixes; with FIXES=, if set; with SERIES= on top, or on the fetched kernel our series."""
    series = settings.series or (None if settings.ksrc else PROJECT / 'mm/series/unmap')
    kernels = {'without fixes': replace(settings, series=None, fixes=None)}
    if settings.fixes:
        kernels['with fixes'] = replace(settings, series=None)
    if series:
        kernels['with fixes and series' if settings.fixes else 'with series'] = replace(settings, series=series)
    return {name: replace(kernel, results=settings.results / name.replace(' ', '-')) for name, kernel in kernels.items()}


def _build(settings: Settings, bugs: Sequence[Reproducer]) -> None:
    """Build init, the programs and an ext4 image."""
    folder = settings.results
    image = folder / 'ext4.image'
    image.unlink(missing_ok=True)
    try:
        for source in (INIT, *sources(bugs)):
            tools.run([settings.arch.cross_compile + 'gcc', '-D_GNU_SOURCE', '-O2', '-Wall', '-Werror', '-static', '-o', folder / source.stem, source])
        tools.run(['mke2fs', '-q', '-t', 'ext4', '-b', '4096', image, IMAGE_SIZE],
                  env=tools.environment(PATH=packages.PATH))
    except tools.Failed as failed:
        raise Trouble(f'the reproducers do not build ({failed})', 'see the lines above', failed.output) from failed


def _initramfs(guest: Guest, folder: Path, bugs: Sequence[Reproducer]) -> Path:
    """Pack init, the programs and the image."""
    lines = ['dir /dev 0755 0 0', 'nod /dev/kmsg 0644 0 0 c 1 11', 'nod /dev/console 0600 0 0 c 5 1',
             'nod /dev/ram0 0600 0 0 b 1 0', 'nod /dev/ram1 0600 0 0 b 1 1',
             *(f'dir /{name} 0755 0 0' for name in ('proc', 'sys', 'mnt', 'reproducers')),
             f'file /init {folder}/{INIT.stem} 0755 0 0', f'file /ext4.image {folder}/ext4.image 0644 0 0']
    lines += [f'file /reproducers/{source.stem} {folder}/{source.stem} 0755 0 0' for source in sources(bugs)]
    return guest.initramfs('reproducers', lines)


def results(log: str) -> dict[str, Result]:
    """The result of each program, from the log of one boot."""
    disputed = {bug.program for bug in known() if bug.question}
    found = {}
    for begun in re.finditer(r'ptebatch: begin (\S+)\n', log):
        name = begun[1]
        ended = re.compile(rf'ptebatch: end {re.escape(name)} (exit|signal) (\d+): (.*)$', re.MULTILINE).search(log, begun.end())
        part = log[begun.end():ended.start() if ended else len(log)]
        if bad := BAD.search(part):
            found[name] = Result(BUG, f'kernel log: {bad[0].strip()}')
        elif not ended:
            found[name] = Result(BUG, 'the guest hangs')
        elif ended[1] == 'signal':
            found[name] = Result(BUG, 'timed out') if ended[2] == '9' else Result(CANNOT_TELL, f'signal {ended[2]}')
        else:
            verdict = STATUS.get(int(ended[2]), CANNOT_TELL)
            found[name] = Result(DISPUTED if verdict == BUG and name in disputed else verdict, ended[3].strip())
    return found


def run_kernel(settings: Settings, base: Settings, bugs: Sequence[Reproducer], console: Console) -> dict[str, Result]:
    """Build one kernel and run all programs on it."""
    settings.results.mkdir(parents=True, exist_ok=True)
    tree, _ = run.trees(settings, console)
    run.say_left_out(settings, console)
    similar, _ = run.trees(base, console)
    with run.prepared(settings, tree, similar, console) as guest:
        with console.step('build') as step:
            guest.build(step)
        guest.choose_accelerator(console)
        initramfs = _initramfs(guest, settings.results.parent, bugs)
        with console.step('boot', 'run the reproducers'):
            # No suite is named `none`: the boot runs only the reproducers.
            output: list[str] = []
            guest.boot(output.append, '--raw_output=all', f'--qemu_args={CPUS}', initramfs=initramfs,
                       kernel_args=(*KERNEL_ARGS, *CPUS_ARGS), suites='none')
        log = guest.read_log('\n'.join(output))
        (settings.results / 'boot.log').write_text(log)
    found = results(log)
    if not found:
        raise Trouble('the guest ran no reproducer', f'see {tools.shown(settings.results)}/boot.log',
                      '\n'.join(log.splitlines()[-20:]))
    return found


def text(bugs: Sequence[Reproducer], kernels: Mapping[str, Mapping[str, Result]]) -> str:
    """The table of all bugs and their results."""
    return table(['bug', 'reproducer', *kernels], [
        [bug.bug, bug.program or f'none: {bug.reason}',
         *(str(found.get(bug.program, Result(NOT_RUN))) if bug.program else '' for found in kernels.values())]
        for bug in bugs], 2 + len(kernels))


def wrong(bugs: Sequence[Reproducer], kernels: Mapping[str, Mapping[str, Result]]) -> list[str]:
    """The wrong results of the kernels with fixes; without FIXES=: without fixes, and those that only the series causes.

    Some programs see a bug only now and then: with fixes, none may see one, also with the series.
    """
    def result(kernel: str, bug: Reproducer) -> Result:
        return kernels[kernel].get(bug.program, Result(NOT_RUN))

    judged = [name for name in kernels if name.startswith('with fixes')] or ['without fixes']
    found = [f'{bug.program}, {kernel}: {result(kernel, bug)}' for kernel in judged
             for bug in bugs if bug.program and result(kernel, bug).verdict not in GOOD]
    if 'with series' in kernels:
        found += [f'{bug.program}, with series: {result("with series", bug)}' for bug in bugs
                  if bug.program and result('with series', bug).verdict not in GOOD
                  and result('without fixes', bug).verdict in GOOD]
    return found


def counts(path: Path) -> Counts:
    """The counts of the programs; a bug without a program is skipped. All zero if the file is missing."""
    try:
        found = json.loads(path.read_text())
    except FileNotFoundError:
        return Counts()
    programs = [bug['program'] for bug in found['bugs'] if bug['program']]
    failed = {line.partition(',')[0] for line in found['failed']}
    return Counts(passed=len(programs) - len(failed), failed=len(failed), skipped=len(found['bugs']) - len(programs))


def main(env: Mapping[str, str]) -> int:
    """Run `make reproduce`."""
    settings = Settings.read({**env, 'ARCH': env.get('ARCH') or 'x86_64'})
    bugs, kernels = of_architecture(settings.arch.name), {}
    if not sources(bugs):
        raise Trouble(f'ARCH={settings.arch.name}: there is no reproducer for it',
                      f'type {" or ".join(f"ARCH={arch}" for arch in sorted({bug.arch for bug in known()}))}')
    settings = settings.of_kind('reproduce', env)
    settings = replace(settings, results=settings.results.parent / 'reproduce')
    lock.claim(settings.results)
    console = Console()
    packages.ensure([*packages.for_selftests(settings.arch), packages.MKE2FS], console)
    settings.results.mkdir(parents=True, exist_ok=True)
    files = [settings.results / f'reproduce.{ending}' for ending in ('md', 'json')]
    for file in files:
        file.unlink(missing_ok=True)
    _build(settings, bugs)
    for name, kernel in columns(settings).items():
        console.say(f'kernel    {name}')
        kernels[name] = run_kernel(kernel, settings, bugs, console)
    prune(settings.cache / 'trees')
    failed = wrong(bugs, kernels)
    files[0].write_text(text(bugs, kernels) + '\n')
    entries = [asdict(bug) | {'kernels': {name: asdict(found[bug.program])
                                          for name, found in kernels.items() if bug.program in found}} for bug in bugs]
    files[1].write_text(json.dumps({'bugs': entries, 'failed': failed}, indent=1) + '\n')
    print(f'\n{text(bugs, kernels)}\n')
    for line in failed:
        console.say(f'[FAILED] {line}')
    console.say(f'results   {tools.shown(settings.results)}/: {" ".join(file.name for file in files)}')
    return exit_status.FAILED if failed else exit_status.PASSED
