# SPDX-License-Identifier: GPL-2.0
"""The rules that failures quote are those of lib/row/rules.h and of mm/README.md; each has checks and self-tests."""

import re

from host.settings import PROJECT

RULES = (PROJECT / 'lib/row/rules.h').read_text()


def test_only_rules_h_has_the_text_of_a_rule() -> None:
    assert [path.name for folder in ('lib', 'mm') for path in (PROJECT / folder).rglob('*.c')
            if re.search(r'"rules? \d+ (and \d+ )?\(', path.read_text())] == []


def test_rules_h_and_the_readme_agree() -> None:
    readme = (PROJECT / 'mm/README.md').read_text().replace('`', '')
    for number, text in re.findall(r'"rule (\d+) \((.*)\)"', RULES):
        assert re.search(rf'^- \*\*{number}\*\* {re.escape(text)}', readme, re.MULTILINE), f'rule {number} ({text})'


def test_each_check_is_in_the_table_and_has_a_self_test() -> None:
    named = re.findall(r'^CHECK\((\w+)\)', (PROJECT / 'lib/check/table.h').read_text(), re.MULTILINE)
    described = {path.stem: re.findall(r'ptebatch_check_(\w+) = {.*?\.name = "(\w+)"', path.read_text(), re.DOTALL)
                 for path in (PROJECT / 'lib/check').glob('*.c')}
    assert {name: [(name, name)] for name in named} == {name: pair for name, pair in described.items() if pair}
    self_tests = (PROJECT / 'mm/workbench_checks.c').read_text()
    assert [name for name in named if not re.search(rf'&ptebatch_check_{name}\b', self_tests)] == []
