# SPDX-License-Identifier: GPL-2.0
"""The rules that failures quote are those of lib/row/rules.h and of mm/README.md."""

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
