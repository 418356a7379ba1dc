# SPDX-License-Identifier: GPL-2.0
"""The riscv guest, for kunit.py: as its own, with more memory, and a way to stay up for the loadable run."""

import os

from ..qemu_config import QemuArchParams

QEMU_ARCH = QemuArchParams(
    linux_arch='riscv',
    kconfig='''
CONFIG_ARCH_VIRT=y
CONFIG_SERIAL_8250=y
CONFIG_SERIAL_8250_CONSOLE=y
CONFIG_SERIAL_OF_PLATFORM=y''',
    qemu_arch='riscv64',
    kernel_path='arch/riscv/boot/Image',
    kernel_command_line='console=ttyS0 numa=fake=2 kunit_shutdown=' + os.environ.get('PTEBATCH_SHUTDOWN', 'reboot'),
    extra_qemu_params=['-machine', 'virt', '-cpu', 'rv64,svnapot=on,svpbmt=on', '-m', '2048'])
