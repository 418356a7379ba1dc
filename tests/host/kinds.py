# SPDX-License-Identifier: GPL-2.0
"""The kinds of runs: the kernel of each, how it is built and booted, and the variables that do not apply to it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from host.errors import Trouble

OPTIONS = ('LOADABLE', 'DEBUG', 'VARIANTS', 'EXHAUSTIVE', 'SEED', 'ROUNDS')     # of make run
BENCH = ('CONFIG_PTEBATCH_BENCH=y', 'CONFIG_DEBUG_VM=n', 'CONFIG_DEBUG_VM_PGFLAGS=n', 'CONFIG_DEBUG_LIST=n',
         'CONFIG_DEBUG_ATOMIC_SLEEP=n', 'CONFIG_FAULT_INJECTION=n', 'CONFIG_FAILSLAB=n', 'CONFIG_HUGETLBFS=n',
         'CONFIG_IDLE_PAGE_TRACKING=n', 'CONFIG_DAMON=n')
MUTATION = ('CONFIG_PTEBATCH_MUTATION=y',)


@dataclass(frozen=True)
class Kind:
    """What a run is."""

    kernel: str = ''    # in the names of the build folder and of the results; empty for the default kernel
    config: tuple[str, ...] = ()    # beyond that of the default kernel
    kernel_args: tuple[str, ...] = ()
    make_args: tuple[str, ...] = ()
    timeout: int = 0    # the default of TIMEOUT=; 0: that of make run
    name: str = ''      # in messages
    refuses: tuple[tuple[str, ...], ...] = ()   # variables, a message each
    typed: str = ''     # the variable that selects it among those that select a kernel
    loadable: bool = False  # the suites are a module
    bench: bool = False     # the benches run, in a kernel without debug options
    mutation: bool = False  # the kernel has mutants of the batched functions
    races: bool = False     # programs of user space run on several CPUs


KINDS = {
    'built in': Kind(timeout=300),
    'loadable': Kind('loadable', ('CONFIG_PTEBATCH_KUNIT_TEST=n',), timeout=600, loadable=True),
    # KASAN reports only the first bug of a boot by default.
    'debug': Kind('debug', ('CONFIG_KASAN=y', 'CONFIG_PROVE_LOCKING=y', 'CONFIG_PAGE_TABLE_CHECK=y',
                            'CONFIG_PAGE_TABLE_CHECK_ENFORCED=y'), ('kasan_multi_shot',), timeout=600, typed='DEBUG=1'),
    # Each report counts, also of a race that was reported before; a short distance between the watched accesses. KCSAN
    # watches the accesses of mm/, which contains what the suites test: a report on another subsystem would fail a case
    # that cannot do anything about it. So would a race with a function elsewhere, of which KCSAN sees one side only, and
    # with the checks of page flags, which read the head of a page without its lock. Permissive: the zone and the node of
    # a page are read while another of its flags changes.
    'kcsan': Kind('kcsan', ('CONFIG_KCSAN=y', 'CONFIG_KCSAN_REPORT_ONCE_IN_MS=0', 'CONFIG_KCSAN_SKIP_WATCH=500',
                            'CONFIG_KCSAN_REPORT_RACE_UNKNOWN_ORIGIN=n', 'CONFIG_DEBUG_VM_PGFLAGS=n', 'CONFIG_KCSAN_PERMISSIVE=y',
                            'CONFIG_KCSAN_INTERRUPT_WATCHER=y'),
                  make_args=('KCSAN_SANITIZE=$(if $(filter mm,$(obj)),y,n)',), timeout=1800, typed='DEBUG=kcsan'),
    'bench': Kind('bench', BENCH, timeout=600, name='benches', refuses=(OPTIONS,), bench=True),
    # The kernel log keeps all counters until the console, which may be slower, has printed them.
    'coverage': Kind('coverage', ('CONFIG_DEBUG_FS=y', 'CONFIG_GCOV_KERNEL=y'), ('log_buf_len=4M',),
                     name='make coverage', refuses=(('LOADABLE', 'DEBUG'),)),
    'mutation': Kind('mutation', MUTATION, name='make mutation', refuses=(('LOADABLE', 'DEBUG', 'VARIANTS', 'SUITES'),),
                     mutation=True),
    'mutation-bench': Kind('mutation-bench', MUTATION + BENCH, bench=True, mutation=True),
    # Configured by selftests_build.py.
    'selftests': Kind('selftests', timeout=3600, name='selftests', refuses=(OPTIONS, ('SUITES',)), races=True),
    'reproduce': Kind(timeout=600, name='make reproduce', refuses=(OPTIONS,), races=True),
}


def refuse(given: Collection[str], names: Sequence[str], command: str) -> None:
    """Raise Trouble if one of these variables, which do not apply to a command, is given."""
    if not {*names} & {*given}:
        return
    *others, last = (f'{name}=' for name in names)
    raise Trouble(f'{", ".join(others)} and {last} do not apply to {command}' if others else f'{last} does not apply to {command}',
                  'leave them out' if others else 'leave it out')
