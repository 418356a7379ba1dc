# SPDX-License-Identifier: GPL-2.0
"""LOADABLE=1: init of a minimal initramfs inserts and removes the module three times."""

from __future__ import annotations

import re
from pathlib import Path

from guests.guest import Guest
from host.errors import Trouble
from host.settings import PROJECT
from host import tools
from trees import external
from trees import shadow

ROUNDS = 3   # must match init.c


def make_initramfs(guest: Guest) -> Path:
    """Pack init and the module with the kernel's own nolibc and gen_init_cpio: no further packages are needed."""
    build = guest.build_path
    module = external.build(guest.tree / shadow.HOME, build / 'ptebatch', build, guest.tree, guest.make_args(), env=guest.env())
    init = build / 'ptebatch-init'
    try:
        tools.run([guest.arch.cross_compile + 'gcc', '-Os', '-static', '-nostdlib', '-ffreestanding',
                   '-include', str(guest.tree / 'tools/include/nolibc/nolibc.h'),
                   '-o', str(init), str(PROJECT / 'tests/guests/init.c'), '-lgcc'])
    except tools.Failed as failed:
        raise Trouble(f'the initramfs of the loadable run does not build ({failed})', 'see the lines above',
                      failed.output) from failed
    return guest.initramfs('module', ['dir /dev 0755 0 0', 'nod /dev/kmsg 0644 0 0 c 1 11', 'nod /dev/console 0600 0 0 c 5 1',
                                      f'file /init {init} 0755 0 0', f'file /ptebatch_kunit.ko {module} 0644 0 0'])


def rounds(log: str) -> list[str]:
    """The kernel log of each round, from insertion to removal of the module."""
    return re.findall(r'ptebatch: insertion \d\n(.*?)(?=[^\n]*ptebatch: removal|[^\n]*ptebatch: insertion|\Z)',
                      log, re.DOTALL)


def errors(log: str) -> list[str]:
    """The errors that the module and init report, and kernel warnings after the last case."""
    found = re.findall(r'ptebatch: (?:cannot|left) .*|ptebatch_kunit: (?:cannot|symbol) .*', log)
    for part in rounds(log):
        after = re.split(r'^.*\bok \d+ \S+.*$', part, flags=re.MULTILINE)[-1]
        found += re.findall(r'(?:WARNING|BUG): .*', after)
    removed = log.count('ptebatch: removal')
    if removed != ROUNDS and not found:
        found.append(f'the module was inserted and removed {removed} times, not {ROUNDS}')
    return found


def cases(part: str) -> list[str]:
    """The names of the cases that a round reports, in order."""
    return re.findall(r'\bok \d+ ([^#\n]*[^#\s])', part)
