# SPDX-License-Identifier: GPL-2.0
"""The architectures that the suites run on."""

from __future__ import annotations

import platform
from dataclasses import dataclass

from host.errors import Trouble


@dataclass(frozen=True)
class Arch:
    """One value of ARCH=: what builds its kernel, and what runs it."""

    name: str       # as kunit.py and make have it
    machine: str    # as uname -m and QEMU have it
    gnu: str        # as the compiler's name begins
    qemu_package: str = ''
    suites_args: tuple[str, ...] = ()   # kernel parameters of a guest that runs the suites

    @property
    def emulated(self) -> bool:
        """Is it a guest of QEMU? UML is a program of the host."""
        return bool(self.qemu_package)

    @property
    def native(self) -> bool:
        return platform.machine() == self.machine

    @property
    def cross_compile(self) -> str:
        return '' if self.native else self.gnu + '-'

    @property
    def debian(self) -> str:
        """The architecture as Debian's packages have it."""
        return {'aarch64': 'arm64', 'x86_64': 'amd64'}[self.machine]

    @property
    def qemu(self) -> str:
        return 'qemu-system-' + self.machine


ARCHES = {arch.name: arch for arch in (
    Arch('um', 'x86_64', 'x86_64-linux-gnu'),
    # X86_FEATURE_SHSTK, which has no name: QEMU emulates no CPU with shadow stacks, but PTE helpers can be tested all the same.
    Arch('x86_64', 'x86_64', 'x86_64-linux-gnu', 'qemu-system-x86', ('setcpuid=519',)),
    Arch('arm64', 'aarch64', 'aarch64-linux-gnu', 'qemu-system-arm'),
)}


def find(name: str) -> Arch:
    """The architecture of that name, if the suites and this machine know it."""
    if name not in ARCHES:
        raise Trouble(f'ARCH={name} is no architecture of the suites', f'give one of: {", ".join(ARCHES)}')
    arch = ARCHES[name]
    if not arch.emulated and not arch.native:
        raise Trouble(f'ARCH={name} runs on {arch.machine} machines only, this is {platform.machine()}',
                      'give ARCH=arm64 or ARCH=x86_64')
    return arch
