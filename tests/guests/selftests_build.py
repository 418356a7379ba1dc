# SPDX-License-Identifier: GPL-2.0
"""Build tools/testing/selftests/mm of the tree under test, a kernel with its config, and an initramfs with the programs."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from guests.guest import Guest
from host.console import Step
from host.settings import PROJECT
from host import tools

HOME = 'tools/testing/selftests/mm'
OWN = PROJECT / 'tests/guests/selftests'
CONFIG = '.ptebatch-config'     # the fragments of the last configuration
RESULTS = 'selftests'           # the folder of the programs, in the build folder


def _fragments(guest: Guest) -> str:
    """All configuration fragments; a later line overrides an earlier one."""
    arch = guest.arch.name
    parts = [PROJECT / f'tests/guests/arch/{arch}.config', guest.tree / HOME / 'config', OWN / 'config', OWN / f'{arch}.config']
    texts = [f'# {path.name}\n{path.read_text()}' for path in (PROJECT / 'kunitconfig', *parts)]
    return '\n'.join([*texts, *guest.settings.config])


def _make(guest: Guest, what: str, *args: str, step: Step | None = None) -> None:
    try:
        guest.make(*args, step=step)
    except tools.Failed as failed:
        raise failed.of_build(f'{what} for ARCH={guest.arch.name} in {guest.build_path}') from failed


def kernel(guest: Guest, step: Step) -> None:
    """Configure and build the kernel and its modules incrementally."""
    build, wanted = guest.build_path, _fragments(guest)
    build.mkdir(exist_ok=True)
    kept = build / CONFIG
    if not (build / '.config').exists() or not kept.exists() or kept.read_text() != wanted:
        (build / '.config').write_text(wanted)
        kept.write_text(wanted)
    _make(guest, 'the kernel cannot be configured', 'olddefconfig')
    _make(guest, 'the kernel of the selftests does not build', 'all', step=step)
    step.note = guest.arch.name


def missing_options(guest: Guest) -> list[str]:
    """Options of the selftests' config, and of KCONFIG_ADD=, that this architecture or tree does not have."""
    wanted = [line for line in (guest.tree / HOME / 'config').read_text().split() if not line.startswith('#')]
    got = set((guest.build_path / '.config').read_text().split('\n'))
    return [option for option in (*wanted, *guest.settings.config) if option not in got and option.replace('=m', '=y') not in got]


def programs(guest: Guest, root: Path, step: Step) -> Path:
    """Build the programs, statically linked; return their folder. The caller holds the lock of the tree."""
    folder = guest.build_path / RESULTS
    folder.mkdir(exist_ok=True)
    _make(guest, 'the kernel headers do not build', 'headers')
    for made in (guest.tree / HOME).glob('local_config.*'):
        if made.is_symlink():   # links to a file in the user's tree, which must not be written to
            made.unlink()
    flags = '-static'
    if root != Path('/'):
        flags += f' -I{root}/usr/include -L{root}/usr/lib/{guest.arch.machine}-linux-gnu'
    try:
        make = ['make', '-C', HOME, f'-j{guest.settings.jobs}', f'OUTPUT={folder}', f'ARCH={guest.arch.name}',
                f'CROSS_COMPILE={guest.arch.cross_compile}', f'KHDR_INCLUDES=-isystem {guest.build_path}/usr/include',
                f'USERCFLAGS={flags}', 'KDIR=/nonexistent', 'all']
        tools.run(tools.supervised(make), cwd=guest.tree, env=tools.environment(),
                  watch=lambda: step.progress(lambda: f'{len(list(folder.iterdir()))} programs'))
    except tools.Failed as failed:
        raise failed.of_build(f'{HOME} does not build for ARCH={guest.arch.name}') from failed
    step.note = f'{sum(path.is_file() for path in folder.iterdir())} programs'
    return folder


def sources(guest: Guest) -> list[str]:
    """The C files of the selftests, without their suffix."""
    return sorted(path.stem for path in (guest.tree / HOME).glob('*.c'))


def _tree(place: str, folder: Path) -> Iterator[str]:
    """The lines of gen_init_cpio for a folder and everything below it."""
    yield f'dir {place} 0755 0 0'
    for path in sorted(folder.iterdir()) if folder.exists() else ():
        if path.is_dir() and not path.is_symlink():
            yield from _tree(f'{place}/{path.name}', path)
        elif path.is_file():
            yield f'file {place}/{path.name} {path.resolve()} 0755 0 0'


def initramfs(guest: Guest, root: Path, programs_list: str) -> Path:
    """Pack the programs, the modules, a shell and init."""
    build, folder = guest.build_path, guest.build_path / RESULTS
    modules, listed = build / 'ptebatch-modules', build / 'ptebatch-programs'
    listed.write_text(programs_list)
    shutil.rmtree(modules, ignore_errors=True)
    _make(guest, 'the modules cannot be installed', 'modules_install', f'INSTALL_MOD_PATH={modules}', 'DEPMOD=true')
    busybox, bash = (shutil.which(name, path=f'{root}/bin:{root}/usr/bin') for name in ('busybox', 'bash-static'))
    contents = [
        'dir /dev 0755 0 0', 'nod /dev/console 0600 0 0 c 5 1', 'nod /dev/null 0666 0 0 c 1 3',
        *(f'dir /{name} 0755 0 0' for name in ('bin', 'etc', 'lib', 'proc', 'sbin', 'sys')),
        f'file /bin/busybox {busybox} 0755 0 0', f'file /bin/bash {bash} 0755 0 0', 'slink /bin/sh busybox 0777 0 0',
        f'file /init {OWN}/init 0755 0 0', f'file /programs {listed} 0644 0 0',
        *_tree('/lib/modules', modules / 'lib/modules'), *_tree('/mm', folder),
    ]
    for script in sorted((guest.tree / HOME).glob('*.sh')):
        contents.append(f'file /mm/{script.name} {script.resolve()} 0755 0 0')
    return guest.initramfs('selftests', contents)
