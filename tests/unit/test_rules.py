# SPDX-License-Identifier: GPL-2.0
"""The rules that failures quote are those of lib/check/rules.h and of mm/README.md."""

import re

from host.settings import PROJECT

RULES = (PROJECT / 'lib/check/rules.h').read_text()


def test_failures_quote_rules_as_rules_h_states_them() -> None:
    # Files below lib/check/ cannot include rules.h, and repeat the text.
    stated = set(re.findall(r'"(rules? [^"]*)"', RULES))
    quoted = {(path.name, rule) for folder in ('lib', 'mm') for path in (PROJECT / folder).rglob('*.c')
              for rule in re.findall(r'"(rule \d+ \([^"]*?\))[":,]', path.read_text())}
    assert quoted and {(name, rule) for name, rule in quoted if rule not in stated} == set()


def test_rules_h_and_the_readme_agree() -> None:
    readme = (PROJECT / 'mm/README.md').read_text().replace('`', '')
    for number, text in re.findall(r'"rule (\d+) \((.*)\)"', RULES):
        assert re.search(rf'^- \*\*{number}\*\* {re.escape(text)}', readme, re.MULTILINE), f'rule {number} ({text})'
