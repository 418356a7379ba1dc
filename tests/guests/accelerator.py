# SPDX-License-Identifier: GPL-2.0
"""Choose QEMU's accelerator: KVM if a test guest starts under it, else TCG."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from host.architecture import Arch
from host import tools

PROBE_SECONDS = 3
FAILURE_SECONDS = 24 * 60 * 60
KVM = '/dev/kvm'
# One thread for all CPUs: a CPU that spins gives way to the one for which it waits, two guests do not slow each other
# down, and atomic instructions of the guest need none of the host.
TCG = ['-accel', 'tcg,thread=single']
# A thread for each CPU: programs that race do so at any instruction.
TCG_THREADS = ['-accel', 'tcg,thread=multi']
# Differs after each boot of this machine.
BOOT = Path('/proc/sys/kernel/random/boot_id')


@dataclass(frozen=True)
class Probe:
    """The smallest guest: firmware that counts down from 20 million, then ends QEMU with a known status.

    The loop takes 0.1 s under TCG. It takes longer than PROBE_SECONDS under a nested KVM that interprets each
    instruction: a kernel would not boot there within minutes.
    """

    args: tuple[str, ...]
    firmware: bytes
    status: int


PROBES = {
    # mov $20000000,%ecx; 1: dec %ecx; jnz 1b; mov $0x501,%dx; mov $16,%al; out %al,%dx; hlt;
    # then, at the reset vector, 16 bytes before the end, a jump to the first instruction
    'x86_64': Probe(('-device', 'isa-debug-exit,iobase=0x501,iosize=1'),
                    (bytes.fromhex('66b9002d3101 6649 75fc ba0105 b010 ee f4 ebfd').ljust(48, b'\0')
                     + bytes.fromhex('ebce').ljust(16, b'\0')).rjust(65536, b'\0'), 16 << 1 | 1),
    # mov w1,#0x1310000; 1: sub w1,w1,#1; cbnz w1,1b; mov w0,#8; movk w0,#0x8400,lsl #16 (PSCI's SYSTEM_OFF);
    # hvc #0; b .
    'aarch64': Probe(('-machine', 'virt', '-cpu', 'cortex-a57'),
                     bytes.fromhex('2126a052 21040051 e1ffff35 00018052 0080b072 020000d4 00000014')
                     .ljust(65536, b'\0'), 0),
}


def starts(arch: Arch, accel: list[str]) -> bool:
    """Whether a guest starts and exits with these options."""
    probe = PROBES[arch.machine]
    with tempfile.NamedTemporaryFile() as firmware:
        firmware.write(probe.firmware)
        firmware.flush()
        try:
            status = subprocess.run(
                tools.supervised([arch.qemu, '-nodefaults', '-display', 'none', '-bios', firmware.name, *probe.args, *accel]),
                timeout=PROBE_SECONDS, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL, check=False).returncode
        except subprocess.TimeoutExpired:
            return False
    return status == probe.status


def _useless(arch: Arch, accel: list[str], cache: Path) -> bool:
    """Whether no guest starts with these options; a failure counts for a day, or until the machine or QEMU is another."""
    failed = cache / f'no-guest-{arch.machine}'
    qemu = shutil.which(arch.qemu)
    key = f'{BOOT.read_text()}{qemu and os.stat(qemu).st_mtime_ns} {os.stat(KVM).st_ctime_ns}'
    with suppress(FileNotFoundError):
        if failed.read_text() == key and time.time() < failed.stat().st_mtime + FAILURE_SECONDS:
            return True
    if starts(arch, accel):
        return False
    cache.mkdir(parents=True, exist_ok=True)
    failed.write_text(key)
    return True


def choose(arch: Arch, cache: Path) -> tuple[list[str], str]:
    """QEMU's options, and the reason for the choice."""
    kvm = ['-accel', 'kvm', '-cpu', 'host']
    if not arch.native:
        why = f'this machine is not {arch.machine}'
    elif not os.path.exists(KVM):
        why = f'{KVM} does not exist'
    elif not os.access(KVM, os.R_OK | os.W_OK):
        why = f'{KVM} is not readable and writable'
    elif not _useless(arch, kvm, cache):
        return kvm, f'kvm: a guest runs under {KVM}'
    else:
        why = f'{KVM} exists, but no guest runs under it at a useful speed'
    return TCG, f'tcg: {why}'
