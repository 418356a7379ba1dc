# SPDX-License-Identifier: GPL-2.0
"""What runs a guest: the machine's own virtualisation, only if a guest really starts under it."""

from __future__ import annotations

import os
import subprocess
import tempfile
from dataclasses import dataclass

from architecture import Arch

PROBE_SECONDS = 3
KVM = '/dev/kvm'


@dataclass(frozen=True)
class Probe:
    """The smallest guest: firmware that ends QEMU with a known status."""

    args: tuple[str, ...]
    firmware: bytes
    status: int


PROBES = {
    # mov $0x501,%dx; mov $16,%al; out %al,%dx; hlt; at the reset vector, 16 bytes before the end
    'x86_64': Probe(('-device', 'isa-debug-exit,iobase=0x501,iosize=1'),
                    bytes.fromhex('ba0105 b010 ee f4 ebfd').ljust(16, b'\0').rjust(65536, b'\0'), 16 << 1 | 1),
    # mov w0,#8; movk w0,#0x8400,lsl #16 (PSCI's SYSTEM_OFF); hvc #0; b .
    'aarch64': Probe(('-machine', 'virt', '-cpu', 'cortex-a57'),
                     bytes.fromhex('00018052 0080b072 020000d4 00000014').ljust(65536, b'\0'), 0),
}


def starts(arch: Arch, accel: list[str]) -> bool:
    """Does a guest start, and come to its end, with these options?"""
    probe = PROBES[arch.machine]
    with tempfile.NamedTemporaryFile() as firmware:
        firmware.write(probe.firmware)
        firmware.flush()
        try:
            status = subprocess.run(
                [arch.qemu, '-nodefaults', '-display', 'none', '-bios', firmware.name, *probe.args, *accel],
                timeout=PROBE_SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=False).returncode
        except subprocess.TimeoutExpired:
            return False
    return status == probe.status


def choose(arch: Arch) -> tuple[list[str], str]:
    """QEMU's options, and the reason to print."""
    kvm = ['-accel', 'kvm', '-cpu', 'host']
    if not arch.native:
        why = f'this machine is no {arch.machine}'
    elif not os.path.exists(KVM):
        why = f'there is no {KVM}'
    elif not os.access(KVM, os.R_OK | os.W_OK):
        why = f'{KVM} is not ours to use'
    elif starts(arch, kvm):
        return kvm, f'kvm: a guest starts under {KVM}'
    else:
        why = f'{KVM} is there, but a guest does not start under it'
    return ['-accel', 'tcg'], f'tcg: {why}'
