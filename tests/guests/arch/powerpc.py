# SPDX-License-Identifier: GPL-2.0
"""The powerpc guest, for kunit.py: little-endian, 64K pages, radix page tables, and a way to stay up for the loadable run."""

import os

from ..qemu_config import QemuArchParams

QEMU_ARCH = QemuArchParams(
    linux_arch='powerpc',
    kconfig='''
CONFIG_PPC64=y
CONFIG_CPU_LITTLE_ENDIAN=y
CONFIG_HVC_CONSOLE=y''',
    qemu_arch='ppc64le',
    kernel_path='vmlinux',
    kernel_command_line='console=hvc0 kunit_shutdown=' + os.environ.get('PTEBATCH_SHUTDOWN', 'reboot'),
    extra_qemu_params=['-M', 'pseries', '-cpu', 'power9', '-m', '4096',
                       '-object', 'memory-backend-ram,id=node0,size=2G', '-numa', 'node,memdev=node0',
                       '-object', 'memory-backend-ram,id=node1,size=2G', '-numa', 'node,memdev=node1'])
