# SPDX-License-Identifier: GPL-2.0
"""Compare the error messages of a kernel's memory management with lib/kernel/reports.h: python3 -m tests reports ~/linux"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from host import exit_status
from host.errors import Trouble
from host.settings import PROJECT
from results.reports import TABLE, Report, parse

# Error messages of these files that are not reports, each with the reason.
OTHERS = PROJECT / 'tests/project/not_reports.csv'
USAGE = 'type for example: python3 -m tests reports ~/linux'

# Each message of these files is in one of the two tables.
FILES = ('mm/*.[ch]', 'kernel/fork.c', 'include/linux/mm*.h', 'include/linux/page*.h', 'include/linux/pgtable*.h',
         'include/linux/rmap.h', 'include/linux/swap*.h', 'include/linux/leafops.h', 'include/asm-generic/pgtable*.h',
         'include/asm-generic/tlb.h', *(f'arch/{arch}/{files}' for arch in ('x86', 'arm64')
                                        for files in ('mm/*.c', 'include/asm/pgtable*.h', 'include/asm/pgalloc.h')),
         'arch/um/kernel/mem.c', 'arch/um/kernel/tlb.c', 'arch/um/kernel/trap.c', 'arch/um/include/asm/pgtable*.h')

COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:[^"\\\n]|\\.)*")', re.DOTALL)
CALL = re.compile(r'\b(?:pr_(?:emerg|alert|crit|err|warn)(?:_once|_ratelimited)?|_?printk(?:_once|_ratelimited|_deferred)?)\s*\(')
TOKEN = re.compile(r'(?:\s|\\\n)*("(?:[^"\\]|\\.)*"|\w+|.)', re.DOTALL)
CONVERSION = re.compile(r'%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[zLtj])?(?:p[a-zA-Z]*|[a-zA-Z])')
PREFIX = re.compile(r'^#define pr_fmt\(fmt\)\s*(.*?)\bfmt\b', re.MULTILINE)
STRING = re.compile(r'^static const char (\w+)\[\] = "([^"]*)";', re.MULTILINE)
# Not an error, or the rest of a line.
LOWER = re.compile('KERN_(?:NOTICE|INFO|DEBUG|CONT)')


@dataclass(frozen=True)
class Message:
    """A call of printk(); in the text, "*" stands for what a conversion prints."""

    file: str
    line: int
    text: str

    def __str__(self) -> str:
        return f'{self.file}:{self.line}: "{self.text}"'


def _arguments(source: str, at: int) -> list[list[str]]:
    """The tokens of each argument of the call whose opening parenthesis ends at `at`."""
    arguments: list[list[str]] = [[]]
    depth = 1
    while found := TOKEN.match(source, at):
        token, at = found[1], found.end()
        depth += (token in '([{') - (token in ')]}')
        if not depth:
            break
        if token == ',' and depth == 1:
            arguments.append([])
        else:
            arguments[-1].append(token)
    return arguments


def _text(arguments: list[list[str]], strings: dict[str, str]) -> str:
    """The format with "*" for each conversion, or the string if the file defines the argument as a constant."""
    values = iter(arguments[1:])

    def value(conversion: re.Match[str]) -> str:
        if conversion[0].endswith('%'):
            return '%'
        return strings.get(''.join(next(values, [])), '*')

    # PRIu64 is the end of a conversion.
    text = ''.join(token[1:-1] if token.startswith('"') else 'd' if token.startswith('PRI') else '' for token in arguments[0])
    text = CONVERSION.sub(value, text.replace('%%', '%'))
    return text.replace('\\n', ' ').replace('\\"', '"').strip()


def messages(tree: Path, files: Sequence[str] = FILES) -> Iterator[Message]:
    """All messages of these files at warning level or above."""
    for path in sorted({path for glob in files for path in tree.glob(glob)}):
        source = COMMENT.sub(lambda found: found[1] or '\n' * found[0].count('\n') or ' ', path.read_text(errors='replace'))
        strings = dict(STRING.findall(source))
        fmt = PREFIX.search(source)
        prefix = fmt[1].replace('KBUILD_MODNAME', f'"{path.stem}"') if fmt else ''
        prefix = CONVERSION.sub('*', ''.join(re.findall('"([^"]*)"', prefix)))
        for call in CALL.finditer(source):
            arguments = _arguments(source, call.end())
            if source[:call.start()].endswith('#define ') or any(LOWER.fullmatch(token) for token in arguments[0]):
                continue
            text = _text(arguments, strings)
            if text:
                yield Message(str(path.relative_to(tree)), source.count('\n', 0, call.start()) + 1,
                              (prefix if call[0].startswith('pr_') else '') + text)


def others(table: str) -> list[Report]:
    """The messages that are not reports."""
    return [Report(row['message'], row['files']) for row in csv.DictReader(table.splitlines())]


def _matches(message: Message, report: Report) -> bool:
    return fnmatchcase(message.file, report.files) and bool(re.match(report.regex, message.text + ' ', re.DOTALL))


def differences(tree: Path, table: str, rest: str) -> list[str]:
    """How the tables differ from the messages of a tree."""
    if not tree.is_dir():
        raise Trouble(f'{tree}: not a folder', USAGE)
    reports, not_reports = parse(table), others(rest)
    checked = list(messages(tree))
    if not checked:
        raise Trouble(f'{tree}: no error message of mm/ found', USAGE)
    # Reports of other parts of the kernel: only their lines are checked, not that the table is complete.
    known = [*checked, *messages(tree, [report.files for report in reports])]
    return ([f'{message} is in no table' for message in checked
             if not any(_matches(message, line) for line in [*reports, *not_reports])] +
            [f'{line.files}: "{line.pattern}" is in {name}, but no message'
             for name, lines in ((TABLE.name, reports), (OTHERS.name, not_reports)) for line in lines
             if not any(_matches(message, line) for message in known)])


def main(args: Sequence[str]) -> int:
    """Print how the tables differ from the user's tree."""
    if len(args) != 1:
        raise Trouble('expected one kernel tree', USAGE)
    report = differences(Path(args[0]), TABLE.read_text(), OTHERS.read_text())
    print('\n'.join(report or ['all error messages are known']))
    return exit_status.FAILED if report else exit_status.PASSED
