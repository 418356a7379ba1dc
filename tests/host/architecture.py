# SPDX-License-Identifier: GPL-2.0
"""The architectures that the suites run on."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from host.errors import Trouble


@dataclass(frozen=True)
class Arch:
    """One value of ARCH=: how its kernel is built and run."""

    name: str       # for kunit.py and make
    machine: str    # for uname -m and QEMU
    gnu: str        # prefix of the compiler's name
    image: str      # the target of the kernel's make for the file that kunit.py starts
    qemu_package: str = ''
    suites_args: tuple[str, ...] = ()   # kernel parameters of a guest that runs the suites
    # What saves time, but not for the benches, whose figures must remain comparable:
    emulated_args: tuple[str, ...] = ()     # kernel parameters
    plain: str = ''     # the file to start instead, which is not compressed if there is such a file, in the build folder
    plain_config: tuple[str, ...] = ()      # options that it needs
    suites_only: bool = False   # the module, debug kernels, benches and selftests were never tried

    @property
    def emulated(self) -> bool:
        """The kernel runs in QEMU. UML runs as a program of the host."""
        return bool(self.qemu_package)

    @property
    def complete(self) -> bool:
        """QEMU runs the module, debug kernels, benches and selftests as well."""
        return self.emulated and not self.suites_only

    @property
    def native(self) -> bool:
        return platform.machine() == self.machine

    @property
    def cross_compile(self) -> str:
        return '' if self.native else self.gnu + '-'

    @property
    def debian(self) -> str:
        """The name of the architecture in Debian's packages."""
        return {'aarch64': 'arm64', 'x86_64': 'amd64', 'ppc64le': 'ppc64el'}.get(self.machine, self.machine)

    @property
    def qemu(self) -> str:
        return 'qemu-system-' + self.machine


ARCHES = {arch.name: arch for arch in (
    Arch('um', 'x86_64', 'x86_64-linux-gnu', 'linux'),
    # 519 is X86_FEATURE_SHSTK, which has no name. QEMU emulates no CPU with shadow stacks; the PTE helpers need none.
    # QEMU emulates REP STOS and REP MOVS element by element: without rep_good, the kernel clears and copies pages in loops.
    Arch('x86_64', 'x86_64', 'x86_64-linux-gnu', 'bzImage', 'qemu-system-x86', ('setcpuid=519',),
         ('clearcpuid=rep_good',), 'vmlinux', ('CONFIG_HYPERVISOR_GUEST=y', 'CONFIG_PVH=y')),
    Arch('arm64', 'aarch64', 'aarch64-linux-gnu', 'Image.gz', 'qemu-system-arm', plain='arch/arm64/boot/Image'),
    Arch('riscv', 'riscv64', 'riscv64-linux-gnu', 'Image', 'qemu-system-misc', plain='arch/riscv/boot/Image', suites_only=True),
    Arch('s390', 's390x', 's390x-linux-gnu', 'bzImage', 'qemu-system-misc', plain='arch/s390/boot/bzImage', suites_only=True),
    Arch('powerpc', 'ppc64le', 'powerpc64le-linux-gnu', 'vmlinux', 'qemu-system-ppc', plain='vmlinux', suites_only=True),
)}


def find(name: str) -> Arch:
    """The architecture of that name; Trouble if it is unknown or cannot run on this machine."""
    if name not in ARCHES:
        raise Trouble(f'ARCH={name}: unknown architecture', f'type one of {" ".join(f"ARCH={arch}" for arch in ARCHES)}')
    arch = ARCHES[name]
    if not arch.emulated and not arch.native:
        raise Trouble(f'ARCH={name}: runs only on {arch.machine} machines, and this is {platform.machine()}',
                      'type ARCH=arm64 or ARCH=x86_64')
    return arch
