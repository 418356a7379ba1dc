# SPDX-License-Identifier: GPL-2.0
"""All mutants of a kernel: of the batched functions, of whole files that are only about batches, and of a series."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from fnmatch import fnmatch

from host.errors import Trouble
from mutation.finder import Change, applied
from mutation.functions import Function, definitions
from mutation.mistakes import Mistakes
from mutation.operators import Operators
from mutation.weave import Copy, Mutant
from project import called
from trees.definitions import bodies, names as named

HUGETLB = r'(set_)?huge_pte(p_.*|_at|_clear)|(get_)?clear_.*|__cont_.*|.*num_contig.*'
# The files of an architecture, and which of their functions, all of their names, change entries.
OF_ARCHITECTURES = {
    'arch/arm64/mm/contpte.c': r'.*',
    'arch/arm64/mm/hugetlbpage.c': HUGETLB,
    'arch/arm64/include/asm/pgtable.h': r'\w+_ptes|contpte_try_\w+|pte_batch_hint|pte_present_mknoncont',
    'arch/powerpc/include/asm/book3s/64/pgtable.h': r'(__)?(ptep|pmdp)_\w+|pte_(update|modify)',
    'arch/powerpc/include/asm/book3s/64/radix.h': r'(__)?radix__(ptep?|set_pte)_\w+',
    'arch/powerpc/mm/book3s64/pgtable.c': r'(ptep|pmdp)_\w+|set_pmd_at|pmd_modify',
    'arch/powerpc/mm/book3s64/radix_pgtable.c': r'radix__(ptep|pmdp?|pgtable)_\w+',
    'arch/powerpc/mm/pgtable.c': r'set_ptes|(huge_)?ptep_set_access_flags|set_huge_pte_at|set_(pte|access_flags)_filter',
    'arch/riscv/include/asm/pgtable.h': r'set_ptes|set_pmd_at|(ptep|pmdp)_\w+|(pte|pmd)_modify',
    'arch/riscv/mm/hugetlbpage.c': HUGETLB,
    'arch/riscv/mm/pgtable.c': r'(ptep|pmdp)_\w+|set_pte_keep_flags',
    'arch/s390/include/asm/pgtable.h': r'set_ptes|ptep_\w+|pte_modify',
    'arch/s390/mm/pgtable.c': r'ptep_\w+',
    'arch/um/include/asm/pgtable.h': r'set_ptes',
}
# A parameter whose value the compiler must know, for BUILD_BUG(): in a copy, which is not inlined, it does not.
CONSTANT = re.compile(r'\benum pgtable_level\b')

Read = called.Read


def _changed(file: str, before: str, after: str) -> Iterable[str]:
    """The functions of a file that a series adds or changes."""
    for name in named(after):
        was = {function.text for function in definitions(file, before, name)}
        if any(function.text not in was and not CONSTANT.search(function.head(name)) for function in definitions(file, after, name)):
            yield name


def functions(read: Read, arch: str, before: Read | None = None, touched: Iterable[str] = ()) -> list[str]:
    """The functions that get mutants in a kernel of an architecture, as "file: function()".

    A series on top of the kernel `before` touches files.
    """
    own = [f'{file}: {name}()' for file, names in OF_ARCHITECTURES.items() if file.startswith(f'arch/{arch}/')
           for name in named(read(file)) if re.fullmatch(names, name)]
    changed = [f'{file}: {name}()' for file in touched if before and file.endswith(('.c', '.h'))
               for name in _changed(file, before(file), read(file))]
    return sorted({*called.functions(read), *own, *changed})


def chosen(names: Iterable[str], files: str, patterns: str) -> list[str]:
    """Those that FILES= and FUNCTIONS= select: patterns with words in between."""
    found = []
    for name in names:
        file, _, function = name.removesuffix('()').partition(': ')
        if (not files or any(fnmatch(file, pattern) for pattern in files.split())) and (
                not patterns or any(fnmatch(function, pattern) for pattern in patterns.split())):
            found.append(name)
    if not found:
        raise Trouble('FILES= and FUNCTIONS= select no function', 'type for example FILES=mm/mprotect.c FUNCTIONS="*batch*"')
    return found


def _keys(function: Function, changes: Iterable[Change]) -> list[str]:
    """A name for each change, which depends on its line and the function, but not on the line's number."""
    found: Counter[str] = Counter()
    keys = []
    text = function.text.encode()
    for change in changes:
        first = text.rfind(b'\n', 0, change.start) + 1
        last = text.find(b'\n', change.end)
        line = text[first:last if last >= 0 else len(text)]
        words = (b' '.join(line.split()), b' '.join(text[change.start:change.end].split()),
                 str(change.start - first - (len(line) - len(line.lstrip()))).encode(), change.new.encode())
        digest = hashlib.sha256(b'\0'.join(words)).hexdigest()[:8]
        found[digest] += 1
        again = f'.{found[digest]}' if found[digest] > 1 else ''
        number = f'#{function.number}' if function.number else ''
        keys.append(f'{function.title}{number} {change.operator} {digest}{again}')
    return keys


def changes(text: bytes) -> list[Change]:
    """All changes of one function."""
    small = Operators(text).changes()
    known = {(change.start, change.end, change.new) for change in small}
    return small + [change for change in Mistakes(text).changes() if (change.start, change.end, change.new) not in known]


def mutants(names: Sequence[str], read: Read) -> list[Mutant]:
    """The mutants of these functions."""
    found: list[Mutant] = []
    for title in names:
        file, _, name = title.removesuffix('()').partition(': ')
        for function in definitions(file, read(file), name):
            found_here = changes(function.text.encode())
            for change, key in zip(found_here, _keys(function, found_here), strict=True):
                text = applied(function.text.encode(), change).decode()
                found.append(Mutant(len(found) + 1, function, text, change, key))
    return found


def selected(names: Iterable[str], env: Mapping[str, str], read: Read) -> list[Mutant]:
    """The mutants by those OPERATORS=, patterns with commas in between, of those functions that FILES= and FUNCTIONS= select."""
    patterns = [pattern.strip() for pattern in (env.get('OPERATORS') or '*').split(',')]
    found = [mutant for mutant in mutants(chosen(names, env.get('FILES', ''), env.get('FUNCTIONS', '')), read)
             if any(fnmatch(mutant.change.operator, pattern) for pattern in patterns)]
    if not found:
        raise Trouble(f'OPERATORS={env.get("OPERATORS", "")} makes no change of these functions',
                      'type for example OPERATORS="variable, call deleted"; tests/README.md lists them')
    return found


def added_lines(before: str, after: str) -> set[int]:
    """The numbers of the lines of a file that a series adds or changes."""
    opcodes = SequenceMatcher(None, before.split('\n'), after.split('\n'), autojunk=False).get_opcodes()
    return {line + 1 for kind, _, _, start, end in opcodes if kind in ('insert', 'replace') for line in range(start, end)}


def _in_step(was: str, now: str) -> str:
    """A changed text with empty lines for those that it lacks: the other lines keep their numbers, which assertions have."""
    old, new = was.split('\n'), now.split('\n')
    lines: list[str] = []
    for _, start, end, first, last in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        lines += [*new[first:last], *[''] * (end - start - (last - first))]
    return '\n'.join(lines)


def of_patch(number: int, changed: Mapping[str, str], read: Read) -> list[Copy]:
    """The functions that a patch changes, as copies of that number; none if it also changes something else.

    `changed` are the files after the patch.
    """
    copies: list[Copy] = []
    for file, after in changed.items():
        source = before = read(file)
        # To find the definition of one function takes as long as to find the bodies of all.
        differ = {name for name, _ in {*bodies(before)} ^ {*bodies(after)}}
        for name in (name for name in named(before) if name in differ):
            for was, now in zip(definitions(file, before, name), definitions(file, after, name)):
                if was.text != now.text and was.text[:was.body] == now.text[:now.body]:
                    copies.append(Copy(number, was, _in_step(was.text, now.text)))
                    source = source.replace(was.text, now.text)
        if source != after:
            return []
    return copies
