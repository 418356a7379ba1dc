# SPDX-License-Identifier: GPL-2.0
"""The kernel variables of which the twins have copies.

A twin is a kernel source that is compiled a second time, so it has a copy of each variable of that source. Initcalls
initialise the kernel's variable, not the copy: a slab cache of a twin is NULL. This check compiles each twin with
-fwhole-program, which drops everything that the entry points do not reach. Each remaining variable must be in the lists
below, with the reason why its copy needs no initcall.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path

from host import tools

# The second option keeps variables that are never written, which the compiler would replace by the constant NULL.
WHOLE = ('-fwhole-program', '-fno-ipa-reference-addressable')
FOLDER = 'mm/tests/ptebatch/lib/twin'
COMMAND = re.compile(r'savedcmd_\S+ := (.*?) -o \S+ (\S+\.c)\b')
# Output of nm: initialised, zeroed and small data, local or global.
VARIABLE = re.compile(r'^[0-9a-f]+ [bBdDsSgG] (\S+)$', re.MULTILINE)

# The compiler numbers variables that are declared inside a function: fault_key.3
ANY = {
    r'__UNIQUE_ID_addressable_\S+': 'keeps a static call in the symbol table',
    r'(__warned|__already_done|_rs)\.\d+': 'WARN_ONCE(), pr_warn_once() and the like',
    r'__key\.\d+': 'a class of locks, for lockdep',
    'mthp_stats': 'statistics, defined in begin.h',
}
ALLOWED = {
    'contpte': {'so_far': 'counter of twin/contpte.c'},
    'counts': {'ptebatch_counts': 'counters of all twins'},
    'khugepaged': {
        r'khugepaged_max_ptes_(none|swap|shared)': 'set by twin/khugepaged.c; MADV_COLLAPSE has no limits',
        'khugepaged_(pages_collapsed|full_scans)': 'statistics',
        'khugepaged_(scan|mm_lock)': 'the list of mms to scan, with the one that twin/khugepaged.c adds',
        'khugepaged_collapse_control': 'result of the last scan of a page table',
        'mm_slot_cache': 'of an mm without users, which has no twin; kfree() determines the cache',
    },
    'memory': {
        'fault_around_pages': 'set by debugfs only; the initial value is that of the kernel',
        'highest_memmap_pfn': 'set by twin/memory.c',
        r'(nr_shown|nr_unshown|resume)\.\d+': 'rate limit of print_bad_pte()',
    },
    'mempolicy': {'policy_zone': 'set by twin/mempolicy.c'},
}


def _compile(build: Path, name: str, output: Path, env: Mapping[str, str]) -> None:
    """Compile a twin with the command of the build, and as a whole program."""
    command = (build / FOLDER / f'.{name}.o.cmd').read_text()
    found = COMMAND.match(command)
    if not found:
        raise tools.Failed(['gcc'], 1, f'{name}.o.cmd: no compiler command found: {command[:200]}')
    options = [option for option in shlex.split(found[1]) if not option.startswith('-Wp,-MMD')]
    tools.run([*options, *WHOLE, '-o', str(output), found[2]], cwd=build, env=env)


def unexpected(build: Path, nm: str, env: Mapping[str, str] | None = None) -> str:
    """The variables of the twins in a build folder that are not in the lists above, one per line."""
    names = sorted(path.name[1:-len('.o.cmd')] for path in (build / FOLDER).glob('.*.o.cmd')
                   if '.local.' not in path.name)
    if not names:
        return f'no twins in {build}'
    report = []
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            output = Path(folder) / f'{name}.o'
            _compile(build, name, output, env or tools.environment())
            known = re.compile('|'.join([*ANY, *ALLOWED.get(name, {})]))
            report += [f'lib/twin/{name}.c: a copy of {variable} that no initcall sets up'
                       for variable in VARIABLE.findall(tools.run([nm, str(output)])) if not known.fullmatch(variable)]
    return '\n'.join(report)
