# SPDX-License-Identifier: GPL-2.0
"""What VARIANTS= chooses from: the CPUs and configurations of an architecture that its page tables depend on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from host.architecture import Arch
from host.errors import Trouble

# As the kernel's log has them. It says which it found; of these, a variant has its own and no other.
DIRTY, BBML3, LPA2 = 'Hardware dirty bit management', 'BBM Level 3', '52-bit Virtual Addressing (LPA2)'
FEATURES = (DIRTY, BBML3, LPA2)
K = 1024

# How a CPU says what it is, without its revision: that is for errata, and another QEMU may have another.
MODEL = 0xff00fff0
A57, A76, A725, MAX = 0x4100d070, 0x4100d0b0, 0x4100d870, 0x510


@dataclass(frozen=True)
class Variant:
    """One of them, and what its guest's log must show: one that is silently another proves nothing."""

    name: str
    cpu: str        # as QEMU has it
    model: int
    special: str
    features: frozenset[str]
    page: int = 4 * K
    config: tuple[str, ...] = ()    # with any, it is a kernel of its own
    memory: int = 0     # in MiB, where the architecture's is too little

    @property
    def qemu_args(self) -> str:
        """Behind those of the architecture; QEMU takes the last."""
        return f'-cpu {self.cpu}' + (f' -m {self.memory}' if self.memory else '')

    def differences(self, log: str) -> list[str]:
        """What in the log of a boot is not as it has to be."""
        cpu = re.search(r'^Booting Linux on physical CPU \S+ \[(0x[0-9a-f]+)\]', log, re.MULTILINE)
        # One of the hash tables: it tells the size of a page.
        table = re.search(r'\(order: (\d+), (\d+) bytes', log)
        if not cpu or not table:
            return ['it did not come as far as to say what it is']
        page = int(table[2]) >> int(table[1])
        found = re.findall(r'CPU features: detected: (.*?)(?: on CPU\S*)?$', log, re.MULTILINE)
        return ([f'its CPU is {cpu[1]}'] if int(cpu[1], 16) & MODEL != self.model else []) + (
            [f'it has pages of {page} bytes'] if page != self.page else []) + [
            f'{feature} is {"there" if feature in found else "missing"}'
            for feature in FEATURES if (feature in found) != (feature in self.features)]


# The kernel is built for 52 bits, and takes 48 where the CPU has no more.
ARM64 = (
    Variant('main', 'cortex-a76', A76, 'hardware sets accessed and dirty; 48 bits', frozenset({DIRTY})),
    Variant('a57', 'cortex-a57', A57, 'faults set accessed and dirty; no LSE atomics', frozenset()),
    # QEMU has no CPU that says it needs no break-before-make; this one the kernel knows for that by its name.
    Variant('bbml3', 'cortex-a76,midr=0x411fd871', A725, 'as main, but folds without invalidation',
            frozenset({DIRTY, BBML3})),
    Variant('va52', 'max,pauth-impdef=on', MAX, '52 bits (LPA2), 5 levels', frozenset({DIRTY, LPA2})),
    # On the CPU of va52, as only there the log shows that the kernel knows no 52 bits.
    Variant('va48', 'max,pauth-impdef=on', MAX, 'a kernel for 48 bits only', frozenset({DIRTY}),
            config=('CONFIG_ARM64_VA_BITS_48=y',)),
    Variant('16k', 'cortex-a76', A76, 'pages of 16K', frozenset({DIRTY}), 16 * K, ('CONFIG_ARM64_16K_PAGES=y',)),
    # There a page table spans 512 MiB, the size of its largest folios.
    Variant('64k', 'cortex-a76', A76, 'pages of 64K', frozenset({DIRTY}), 64 * K, ('CONFIG_ARM64_64K_PAGES=y',),
            memory=6144),
)
VARIANTS = {'arm64': ARM64}


def _names(variants: Iterable[Variant]) -> str:
    return ', '.join(variant.name for variant in variants)


def chosen(arch: Arch, given: str) -> tuple[Variant, ...]:
    """Those that VARIANTS= names, in its order; none if it is empty."""
    names = dict.fromkeys(given.split())
    if not names:
        return ()
    if arch.name not in VARIANTS:
        there_are = '; '.join(f'ARCH={name}, which has {_names(variants)}' for name, variants in VARIANTS.items())
        raise Trouble(f'ARCH={arch.name} has no variants (VARIANTS={given})', f'give {there_are}')
    known = {variant.name: variant for variant in VARIANTS[arch.name]}
    for name in names:
        if name not in known and name != 'all':
            raise Trouble(f'VARIANTS={given}: {arch.name} has no variant {name}',
                          f'give all, or some of: {_names(known.values())}')
    return tuple(known.values() if 'all' in names else (known[name] for name in names))
