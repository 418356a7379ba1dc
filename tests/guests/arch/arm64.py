# SPDX-License-Identifier: GPL-2.0
"""The arm64 guest, for kunit.py: a real CPU model, and a way to stay up for the loadable run."""

import os

from ..qemu_config import QemuArchParams

QEMU_ARCH = QemuArchParams(
    linux_arch='arm64',
    kconfig='''
CONFIG_SERIAL_AMBA_PL011=y
CONFIG_SERIAL_AMBA_PL011_CONSOLE=y''',
    qemu_arch='aarch64',
    kernel_path='arch/arm64/boot/Image.gz',
    kernel_command_line='console=ttyAMA0 numa=fake=2 kunit_shutdown=' + os.environ.get('PTEBATCH_SHUTDOWN', 'reboot'),
    extra_qemu_params=['-machine', 'virt,gic-version=3', '-cpu', 'cortex-a76', '-m', '2048'])
