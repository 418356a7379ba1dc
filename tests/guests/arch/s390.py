# SPDX-License-Identifier: GPL-2.0
"""The s390 guest, for kunit.py: as its own, with more memory, and a way to stay up for the loadable run."""

import os

from ..qemu_config import QemuArchParams

QEMU_ARCH = QemuArchParams(
    linux_arch='s390',
    kconfig='''
CONFIG_TUNE_ZEC12=y''',
    qemu_arch='s390x',
    kernel_path='arch/s390/boot/bzImage',
    kernel_command_line='console=ttyS0 kunit_shutdown=' + os.environ.get('PTEBATCH_SHUTDOWN', 'reboot'),
    extra_qemu_params=['-machine', 's390-ccw-virtio', '-cpu', 'qemu', '-m', '2048'])
