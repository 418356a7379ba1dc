# SPDX-License-Identifier: GPL-2.0
"""The tables of error messages, and the search for messages in a kernel tree."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from host.errors import Trouble
from project import reports
from results import reports as table
from results.reports import Report

HEADER = 'files,message,reason\n'


def write(tree: Path, name: str, source: str) -> None:
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(source)


def texts(tree: Path, source: str) -> list[str]:
    """The messages of a file with this source."""
    write(tree, 'mm/file.c', source)
    return [message.text for message in reports.messages(tree)]


def test_tables_have_all_messages(kernel_source: Path) -> None:
    differences = reports.differences(kernel_source, table.TABLE.read_text(), reports.OTHERS.read_text())
    assert not differences, '\n'.join(differences)


def test_each_line_of_the_table_is_read() -> None:
    lines = table.TABLE.read_text().splitlines()
    assert len(table.parse(table.TABLE.read_text())) == len([line for line in lines if line.startswith('REPORT(')]) > 50


@pytest.mark.parametrize('call, text', [
    ('pr_err("plain\\n")', 'plain'),
    ('pr_alert_ratelimited("%s: %d%%, %#lx and %-5pGp\\n", a, b)', '*: *%, * and *'),
    ('pr_warn_once("two "\n\t"strings\\n")', 'two strings'),
    ('printk(KERN_ERR "level\\n")', 'level'),
    ('printk("no level\\n")', 'no level'),
    ('pr_err("%s: %s%08lx\\n", __func__, Bad, f(a, b))', '*: Bad entry *'),
    ('pr_crit("at %" PRIu64 "\\n", a)', 'at *'),
])
def test_finds_messages(tmp_path: Path, call: str, text: str) -> None:
    assert texts(tmp_path, f'static const char Bad[] = "Bad entry ";\nvoid f(void)\n{{\n\t{call};\n}}\n') == [text]


def test_ignores_lower_levels_comments_and_definitions(tmp_path: Path) -> None:
    assert texts(tmp_path, '''\
/* pr_err("comment") */
// pr_err("comment")
#define error(fmt, ...) pr_err(fmt, ##__VA_ARGS__)
void f(void)
{
	pr_info("a"); pr_notice("b"); pr_debug("c"); pr_cont("d");
	printk(KERN_INFO "e");
	printk(KERN_CONT "f");
}
''') == []


def test_adds_the_prefix_of_the_file(tmp_path: Path) -> None:
    call = 'void f(void)\n{\n\tpr_err("x\\n");\n\tprintk("y\\n");\n}\n'
    assert texts(tmp_path, '#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt\n' + call) == ['file: x', 'y']
    assert texts(tmp_path, '#define pr_fmt(fmt) "[%s]: " fmt, __func__\n' + call) == ['[*]: x', 'y']


def test_added_and_removed_messages(tmp_path: Path) -> None:
    write(tmp_path, 'mm/new.c', 'void f(void)\n{\n\tpr_err("Bad entry %lx\\n", a);\n}\n')
    assert reports.differences(tmp_path, 'REPORT("Old entry ", "mm/old.c"),\n', HEADER + 'mm/old.c,boot,x\n') == [
        'mm/new.c:3: "Bad entry *" is in no table',
        'mm/old.c: "Old entry " is in reports.h, but no message',
        'mm/old.c: "boot" is in not_reports.csv, but no message']
    assert not reports.differences(tmp_path, 'REPORT("Bad entry ", "mm/new.c"),\n', HEADER)
    assert not reports.differences(tmp_path, '', HEADER + 'mm/n*.c,*,x\n')


def test_folder_without_kernel(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match='no error message'):
        reports.differences(tmp_path, '', HEADER)
    with pytest.raises(Trouble, match='not a folder'):
        reports.differences(tmp_path / 'none', '', HEADER)


@pytest.mark.parametrize('pattern, line, matches', [
    ('Bad entry ', 'Bad entry 12', True),
    ('Bad entry ', 'no Bad entry 12', False),
    ('*: Bad entry ', 'f: Bad entry 12', True),
    ('*: Bad entry ', 'kernel log: f: Bad entry 12', False),
    ('Memory failure: *: * users', 'Memory failure: 0x1: clean page by 2 users', True),
    ('a * b.c', 'a x bxc', False),
])
def test_patterns(pattern: str, line: str, matches: bool) -> None:
    assert (re.match(Report(pattern, '').regex, line) is not None) == matches


@pytest.mark.parametrize('line, found', [
    ('WARNING: mm/rmap.c:1 at f', True),
    ('[    1.5] BUG: Bad page map in process x', True),
    ('[    1.5][   T12] get_swap_device: Bad swap file entry 2a', True),
    ('[    1.5] [ BUG: Invalid wait context ]', True),
    ('<stdin>:12: bad pte 2a', True),
    ('kernel log: get_swap_device: Bad swap file entry 2a', False),
    ('    # case: get_swap_device: Bad swap file entry 2a', False),
    ('page: refcount:0x2a mapcount:0x2a mapping: (not one: ptebatch tries whether it is found)', False),
])
def test_finds_reports_in_a_log(line: str, found: bool) -> None:
    log = f'KTAP version 1\n{line}\nok 1\n'
    assert bool(table.found(log)) == found
    text = ''.join(table.found(log))
    assert table.found(log + f'[ 1.6] expected report: {text}\n') == []
