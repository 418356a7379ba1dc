# SPDX-License-Identifier: GPL-2.0
"""The values of VARIANTS=: CPUs and kernel configurations that change the page tables of an architecture."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from host.architecture import Arch
from host.errors import Trouble

# What the kernel's log says of CPU features and of the MMU. The log of a variant must report exactly its own.
_DETECTED = 'CPU features: detected: '
DIRTY, BBML3, LPA2 = (_DETECTED + name for name in ('Hardware dirty bit management', 'BBM Level 3', '52-bit Virtual Addressing (LPA2)'))
MTE, ERRATUM = (_DETECTED + name for name in ('Memory Tagging Extension', 'ARM erratum 2645198'))
RADIX = 'radix-mmu: Page sizes from device-tree:'
FEATURES = (DIRTY, BBML3, LPA2, MTE, ERRATUM, RADIX)
K = 1024

# The bits of MIDR_EL1 without the revision: revisions differ between versions of QEMU, and matter only for errata.
MODEL = 0xff00fff0
A57, A76, A715, A725, MAX = 0x4100d070, 0x4100d0b0, 0x4100d4d0, 0x4100d870, 0x510


def page_size(log: str) -> int:
    """The bytes of a page, by the size and order of a hash table; 0 if the boot log has none."""
    table = re.search(r'\(order: (\d+), (\d+) bytes', log)
    return int(table[2]) >> int(table[1]) if table else 0


@dataclass(frozen=True)
class Variant:
    """A variant, and what its boot log must show: a guest that silently is another variant proves nothing."""

    name: str
    cpu: str        # QEMU's -cpu
    special: str
    features: frozenset[str]
    page: int
    model: int = 0      # arm64: of the CPU
    config: tuple[str, ...] = ()    # if not empty, the variant has its own kernel
    memory: int = 0     # in MiB, if the architecture's default is too small
    machine: str = ''   # added to QEMU's -machine

    @property
    def qemu_args(self) -> str:
        """Appended to the arguments of the architecture; the last argument takes effect."""
        return f'-cpu {self.cpu}' + (f' -m {self.memory}' if self.memory else '') + (
            f' -machine {self.machine}' if self.machine else '')

    def differences(self, log: str) -> list[str]:
        """How the log of a boot differs from that of the variant."""
        cpu = re.search(r'^Booting Linux on physical CPU \S+ \[(0x[0-9a-f]+)\]', log, re.MULTILINE)
        page = page_size(log)
        if not page or (self.model and not cpu):
            return ['the boot log has no CPU or page size']
        other = cpu and self.model and int(cpu[1], 16) & MODEL != self.model
        found = {feature for feature in FEATURES if re.search(rf'{re.escape(feature)}( on CPU\S*)?$', log, re.MULTILINE)}
        return ([f'its CPU is {cpu[1]}, expected {self.cpu}'] if cpu and other else []) + (
            [f'its page size is {page}, expected {self.page}'] if page != self.page else []) + [
            f'{feature.removeprefix(_DETECTED)}: {"unexpected" if feature in found else "missing"}'
            for feature in FEATURES if (feature in found) != (feature in self.features)]


# The kernel is built for 52 bits, and uses 48 bits if the CPU does not support more.
ARM64 = (
    Variant('main', 'cortex-a76', 'hardware sets accessed and dirty; 48 bits', frozenset({DIRTY}), 4 * K, A76),
    Variant('a57', 'cortex-a57', 'faults set accessed and dirty; no LSE atomics', frozenset(), 4 * K, A57),
    Variant('a715', 'cortex-a76,midr=0x411fd4d0', 'as bbml3, with erratum 2645198', frozenset({DIRTY, BBML3, ERRATUM}), 4 * K, A715),
    # No CPU of QEMU reports that it needs no break-before-make; the kernel knows it of this CPU by its MIDR_EL1.
    Variant('bbml3', 'cortex-a76,midr=0x411fd871', 'as main, but folds without invalidation', frozenset({DIRTY, BBML3}), 4 * K, A725),
    Variant('va52', 'max,pauth-impdef=on', '52 bits (LPA2), 5 levels', frozenset({DIRTY, LPA2}), 4 * K, MAX),
    Variant('mte', 'max,pauth-impdef=on', 'as va52, with memory tags', frozenset({DIRTY, LPA2, MTE}), 4 * K, MAX,
            machine='mte=on'),
    # The CPU of va52: with another one, the log is the same whether the kernel supports 52 bits or not.
    Variant('va48', 'max,pauth-impdef=on', 'a kernel for 48 bits only', frozenset({DIRTY}), 4 * K, MAX,
            config=('CONFIG_ARM64_VA_BITS_48=y',)),
    Variant('16k', 'cortex-a76', 'pages of 16K', frozenset({DIRTY}), 16 * K, A76, config=('CONFIG_ARM64_16K_PAGES=y',)),
    # A page table maps 512 MiB, the size of the largest folios; they need more memory.
    Variant('64k', 'cortex-a76', 'pages of 64K', frozenset({DIRTY}), 64 * K, A76, config=('CONFIG_ARM64_64K_PAGES=y',),
            memory=6144),
)
POWERPC = (
    Variant('main', 'power9', 'pages of 64K, radix page tables of 32 entries', frozenset({RADIX}), 64 * K),
    Variant('4k', 'power9', 'pages of 4K', frozenset({RADIX}), 4 * K, config=('CONFIG_PPC_4K_PAGES=y',)),
)
VARIANTS = {'arm64': ARM64, 'powerpc': POWERPC}


def _names(variants: Iterable[Variant]) -> str:
    return ' '.join(variant.name for variant in variants)


def chosen(arch: Arch, given: str) -> tuple[Variant, ...]:
    """The variants that VARIANTS= names, in that order; none if it is empty."""
    names = dict.fromkeys(given.split())
    if not names:
        return ()
    if arch.name not in VARIANTS:
        choices = '; '.join(f'ARCH={name}, which has {_names(variants)}' for name, variants in VARIANTS.items())
        raise Trouble(f'VARIANTS={given}: ARCH={arch.name} has no variants', f'type {choices}')
    known = {variant.name: variant for variant in VARIANTS[arch.name]}
    for name in names:
        if name not in known and name != 'all':
            raise Trouble(f'VARIANTS={given}: ARCH={arch.name} has no variant {name}',
                          f'type VARIANTS=all, or some of: {_names(known.values())}')
    return tuple(known.values() if 'all' in names else (known[name] for name in names))
