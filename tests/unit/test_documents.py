# SPDX-License-Identifier: GPL-2.0
"""The README is short, and each link and path in the documents exists."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from host.settings import PROJECT

DOCUMENTS = [PROJECT / name for name in ('README.md', 'mm/README.md', 'mm/series/README.md', 'mm/series/patches.md',
                                         'mm/series/figures.md', 'tests/README.md', 'tests/ci/README.md',
                                         'tests/recorded/README.md')]
# Pages that tools write.
GENERATED = ('patches.md', 'figures.md', 'recorded/README.md')
# A number of things that a change adds to; output and examples are indented.
COUNT = re.compile(r'^(?! {4}).*\b[1-9][\d,]+ (?:suites|cases|rows|functions|mutants|orders|patches|objects|checks|rules|conditions'
                   r'|programs|benches|fixes|bugs)\b.*', re.MULTILINE)
LINK = re.compile(r'\]\(([^)#:]+)(?:#[^)]*)?\)')
# Not the subject of a patch, which has a colon behind it.
PATH = re.compile(r'(?<![\w/.~])((?:lib|mm|tests)/[\w./-]*\w)(?![\w./-]*\w|: )')
# Files of the kernel, and of a tree with the suites.
NOT_OURS = re.compile(r'mm/(\w+\.[ch]|tests/ptebatch.*)$')


def test_the_readme_is_short() -> None:
    lines = (PROJECT / 'README.md').read_text().splitlines()
    assert len(lines) <= 150
    assert [line for line in lines if len(line) > 120] == []


@pytest.mark.parametrize('document', [path for path in DOCUMENTS if not str(path).endswith(GENERATED)],
                         ids=lambda path: str(path.relative_to(PROJECT)))
def test_prose_does_not_count(document: Path) -> None:
    """Such a figure would be wrong after the next change."""
    assert not COUNT.findall(document.read_text())


@pytest.mark.parametrize('document', DOCUMENTS, ids=lambda path: str(path.relative_to(PROJECT)))
def test_links_and_paths_exist(document: Path) -> None:
    text = document.read_text()
    missing = [link for link in LINK.findall(text) if not (document.parent / link).exists()]
    missing += [path for path in PATH.findall(text) if not (PROJECT / path).exists() and not NOT_OURS.match(path)]
    assert missing == []


def test_the_list_of_fixes_has_each_mutant_with_a_history() -> None:
    mutants = PROJECT / 'tests/mutants'
    rows = [line for line in (mutants / 'README.md').read_text().splitlines() if line.startswith('| ')]
    named = {name for row in rows for name in re.findall(r'`(\w+/[\w-]+)`', row)}
    with_history = {str(path.relative_to(mutants).with_suffix('')) for path in mutants.rglob('*.patch')
                    if '\n# history: ' in path.read_text()}
    assert named == with_history


def test_the_list_of_bugs_has_each_fix() -> None:
    """0008 is a question, not a fix."""
    folder = PROJECT / 'mm/series'
    named = set(re.findall(r'\b0\d{3}\b', (folder / 'README.md').read_text().partition('## unmap')[0]))
    assert named - {'0008'} == {path.name[:4] for path in (folder / 'fixes').glob('0*.patch')} - {'0000', '0008'}


def anchors(document: Path) -> set[str]:
    """The anchors of the headings, as the forges make them."""
    headings = re.findall(r'^#+ (.+)$', document.read_text(), re.MULTILINE)
    return {re.sub(r'[^\w -]', '', heading.lower()).replace(' ', '-') for heading in headings}


@pytest.mark.parametrize('document', DOCUMENTS, ids=lambda path: str(path.relative_to(PROJECT)))
def test_anchors_exist(document: Path) -> None:
    links = re.findall(r'\]\(([^)#:]*)#([^)]+)\)', document.read_text())
    assert [f'{file}#{anchor}' for file, anchor in links
            if anchor not in anchors(document.parent / file if file else document)] == []
