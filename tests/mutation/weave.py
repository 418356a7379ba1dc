# SPDX-License-Identifier: GPL-2.0
"""Mutant schemata: a kernel source in which each function calls one of its copies, each with another change.

The variable ptebatch_mutant selects the copy while the kernel runs, so that one build has all mutants. See
lib/kernel/mutation.c.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import unified_diff

from mutation.functions import Function
from mutation.finder import Change

# A twin has other types; the kernel's object checks them.
DECLARATIONS = r'''extern int ptebatch_mutant;
void ptebatch_mutant_reached(unsigned int mutant);
#ifdef PTEBATCH_TWIN
#define PTEBATCH_INSTEAD(a, b) (b)
#elif !defined(PTEBATCH_INSTEAD)
#define PTEBATCH_INSTEAD(a, b) \
	({ _Static_assert(__builtin_types_compatible_p(typeof(a), typeof(b)), "other type"); (b); })
#endif
'''
# BUILD_BUG() in an inline function depends on constant arguments, which a copy does not have: check when it runs.
AT_RUN_TIME = '''#undef __compiletime_assert
#define __compiletime_assert(condition, msg, prefix, suffix) do { if (!(condition)) __builtin_trap(); } while (0)
#line 1
'''
# The copy that records which mutants a case reaches; see REACHED of lib/kernel/mutation.c.
REACHED = -1
# The lines of a compiler before the first of an error or a warning that belong to it, and those after it.
LEADS_TO = re.compile(r'^In |^\s+(?:inlined )?from |: (?:In function|At top level)')
FOLLOWS = re.compile(r'^\s|: note: ')
# What the compiler calls the source of a copy, and of what calls the copies of a function.
IN_COPY = re.compile(r'\bmutant/(\d+)/')
IN_DISPATCHER = re.compile(r'\bdispatcher/(\w+)/')
# The compiler reports only the first use of a function that is not declared.
IMPLICIT = re.compile(r"^mutant/\d+/(\S+?):\d+:\d+: error: implicit declaration of function '(\w+)'", re.MULTILINE)
# Neither inlined nor merged: equal object code must come from equal changes.
COPY = 'static __attribute__((__noipa__)) __maybe_unused'

# What calls the copies is small. The compiler must not inline it where it would not inline the function: cases hook calls.
LOCAL = re.compile(r'\b(?:static|inline|__always_inline)\b')
NOT_INLINED = '__attribute__((__noinline__))'


@dataclass(frozen=True)
class Copy:
    """A function with another body; copies of several functions may have one number, as one mutant."""

    number: int         # by which the kernel selects it
    function: Function
    text: str

    @property
    def name(self) -> str:
        return f'{self.function.name}__m{self.number}'


@dataclass(frozen=True)
class Mutant(Copy):
    """A copy with one change; the key outlives other changes."""

    change: Change
    key: str

    @property
    def line(self) -> int:
        return self.function.line + self.function.text.encode()[:self.change.start].count(b'\n')

    def diff(self) -> str:
        """The changed lines, as those of a unified diff."""
        text, change = self.function.text.encode(), self.change
        new = text[:change.start] + (change.shown or change.new).encode() + text[change.end:]
        lines = unified_diff(text.decode().split('\n'), new.decode().split('\n'), n=0, lineterm='')
        return '\n'.join(line for line in list(lines)[2:] if not line.startswith('@@'))



def original(function: Function) -> str:
    """The name of the copy without a change."""
    return f'{function.name}__m{function.line}_0'


def _copy(function: Function, name: str, text: str, file: str) -> str:
    place = f'#line {function.line} "{file}"'
    return f'{place}\n{COPY}\n{place}\n{function.head(name)}{text[function.body:]}\n'


def _with_probes(function: Function, copies: Sequence[Copy]) -> str:
    """The text with a call before each changed statement, or in each changed condition."""
    inserted: list[tuple[int, int, str]] = []
    for mutant in (copy for copy in copies if isinstance(copy, Mutant)):
        change, call = mutant.change, f'ptebatch_mutant_reached({mutant.number})'
        if change.how == 'value':
            inserted += [(change.place, 1, f'({call}, '), (change.until, 0, ')')]
        elif change.how == 'braces':
            inserted += [(change.place, 1, f'{{ {call}; '), (change.until, 0, ' }')]
        else:
            inserted.append((change.place, 1, f'{call}; '))
    text = function.text.encode()
    # At one place, what closes comes first; what opens is in the order of the mutants.
    for place, _, new in sorted(inserted, key=lambda item: item[:2], reverse=True):
        text = text[:place] + new.encode() + text[place:]
    return text.decode()


def refused(copies: Iterable[Copy]) -> set[int]:
    """The numbers of copies that no function can call with its own parameters."""
    return {copy.number for copy in copies if copy.function.arguments() is None}


def _errors(output: str) -> str:
    """What the compiler prints of errors, without its warnings."""
    errors: list[str] = []
    before: list[str] = []
    is_error = False
    for line in output.splitlines():
        if LEADS_TO.search(line):
            before.append(line)
            continue
        if not FOLLOWS.search(line):
            is_error = 'error: ' in line
        if is_error:
            errors += [*before, line]
        before = []
    return '\n'.join(errors)


def wrong(copies: Iterable[Copy], output: str) -> set[int]:
    """The numbers of copies that the compiler's errors are about; if a dispatcher does not compile, all of its function."""
    errors = _errors(output)
    functions, implicit = {*IN_DISPATCHER.findall(errors)}, {*IMPLICIT.findall(errors)}
    return {*map(int, IN_COPY.findall(errors))} | {
        copy.number for copy in copies if copy.function.name in functions or
        any(copy.function.file == file and re.search(rf'\b{name}\b', copy.text) for file, name in implicit)}


def woven(source: str, copies: Iterable[Copy]) -> str:
    """The source with these copies of its functions; none of them refused()."""
    by_function: dict[Function, list[Copy]] = {}
    for copy in copies:
        by_function.setdefault(copy.function, []).append(copy)
    for function in sorted(by_function, key=lambda function: function.start, reverse=True):
        own = by_function[function]
        dispatcher = f'dispatcher/{function.name}/{function.file}'
        parts = [DECLARATIONS.strip(), _copy(function, original(function), function.text, function.file),
                 _copy(function, f'{original(function)}r', _with_probes(function, own), dispatcher)]
        parts += [_copy(function, copy.name, copy.text, f'mutant/{copy.number}/{function.file}') for copy in own]
        arguments = ', '.join(function.arguments() or ())
        give = '' if function.result == 'void' else 'return '
        leave = ' return;' if function.result == 'void' else ''
        cases = [f'\tcase {copy.number}: {give}{copy.name}({arguments});{leave}' for copy in own]
        cases.append(f'\tcase {REACHED}: {give}{original(function)}r({arguments});{leave}')
        head = function.text[:function.body]
        if not LOCAL.search(head):
            head = f'{NOT_INLINED} {head}'
        parts += [f'#line {function.line} "{dispatcher}"', head + '{', '\tswitch (ptebatch_mutant) {', *cases,
                  f'\tdefault: {give}{original(function)}({arguments});{leave}', '\t}', '}']
        end = function.start + len(function.text)
        parts.append(f'#line {function.line + function.text.count(chr(10)) + 1} "{function.file}"')
        source = source[:function.start] + '\n'.join(parts) + source[end:]
    return AT_RUN_TIME + source if by_function else source
