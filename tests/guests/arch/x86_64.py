# SPDX-License-Identifier: GPL-2.0
"""The x86_64 guest, for kunit.py: as its own, with more memory, and a way to stay up for the loadable run."""

import os

from ..qemu_config import QemuArchParams

QEMU_ARCH = QemuArchParams(
    linux_arch='x86_64',
    kconfig='''
CONFIG_SERIAL_8250=y
CONFIG_SERIAL_8250_CONSOLE=y''',
    qemu_arch='x86_64',
    kernel_path='arch/x86/boot/bzImage',
    # On a busy host, the kernel may miss timer interrupts while it checks them, and panic.
    kernel_command_line='console=ttyS0 numa=fake=2 no_timer_check kunit_shutdown=' + os.environ.get('PTEBATCH_SHUTDOWN', 'reboot'),
    # qboot is faster than SeaBIOS and doesn't mess up the terminal.
    extra_qemu_params=['-bios', 'qboot.rom', '-cpu', 'Nehalem', '-m', '2048'])
