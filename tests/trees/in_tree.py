# SPDX-License-Identifier: GPL-2.0
"""The suites as patches for a kernel tree: mm/tests/ptebatch/, one folder of lib/ after the other, then the suites.

The files are those of this project. Only the Makefile, the Kconfig and .kunitconfig are made for the tree, which needs
neither the module nor what make run, make coverage and make mutation add.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from host.errors import Trouble
from host.settings import PROJECT
from trees.shadow import HOME, hooked

PATCHES = 'mm/series/suites/patches.toml'
PAGE = 'Documentation/mm/ptebatch.rst'
INDEX = 'Documentation/mm/index.rst'
MAINTAINERS = 'MAINTAINERS'
TOUCHED = ('mm/Kconfig', 'mm/Makefile', MAINTAINERS, INDEX)
# For the module and other kernels, and for make run, make coverage and make mutation.
OMITTED = ('lib/link/*', 'lib/port/*', 'lib/kernel/coverage.c', 'lib/kernel/mutation.[ch]', 'lib/kernel/resume.c', 'lib/kernel/watchdog.c')

ENTRY = f'''\
MEMORY MANAGEMENT - KUNIT TESTS OF BATCHED PAGE TABLE ENTRIES
L:	linux-mm@kvack.org
S:	Maintained
F:	{PAGE}
F:	{HOME}/

'''


@dataclass(frozen=True)
class Patch:
    """A patch of patches.toml, with the files of the project that it adds."""

    subject: str
    message: str
    files: Sequence[str]


def patches(project: Path = PROJECT) -> list[Patch]:
    """The patches, in their order."""
    listed = tomllib.loads((project / PATCHES).read_text())['patch']
    names = [str(path.relative_to(project)) for folder in ('lib', 'mm') for path in sorted((project / folder).rglob('*.[chS]'))]
    names = [name for name in names if not any(fnmatch(name, pattern) for pattern in OMITTED)]
    files: list[list[str]] = [[] for _ in listed]
    for name in names + [f'{Path(PATCHES).parent}/ptebatch.rst']:
        places = [place for place, patch in enumerate(listed) if any(fnmatch(name, pattern) for pattern in patch['files'])]
        if not places:
            raise Trouble(f'{PATCHES}: no patch has {name}', 'add it to the files of one')
        files[places[-1]].append(name)
    return [Patch(patch['subject'], patch['message'].strip('\n'), found) for patch, found in zip(listed, files)]


def _expanded(words: str) -> list[str]:
    """The words of a list in the Makefile, with the function of make that it uses."""
    def prefixed(match: re.Match[str]) -> str:
        return ' '.join(match[1] + word for word in match[2].split())

    return re.sub(r'\$\(addprefix ([^,]*),([^)]*)\)', prefixed, words).split()


def makefile(text: str, present: Collection[str]) -> str:
    """The kernel's part of the Makefile for a tree that has only some of the files, without the module."""
    _, _, kernel = text.partition('\nobj-')
    kernel = 'obj-' + kernel.partition('\nelse\n# For the user.')[0]
    built_in, _, _ = kernel.partition('\nelse\n')
    paragraphs = []
    for paragraph in re.sub(r'\\\n\s*', '', built_in).split('\n\n'):
        lines = []
        for line in paragraph.split('\n'):
            match = re.fullmatch(r'((?:ptebatch_kunit|twins)-\S+) [:+]?= (.*)', line)
            if not match or '$(twins' in line:
                lines.append(line)
                continue
            folder = 'lib/twin/' if match[1].startswith('twins') else ''
            words = [word for word in _expanded(match[2]) if folder + word.removesuffix('.o') + '.c' in present]
            # One a line: each patch only adds lines.
            lines += [f'{match[1]} += {word}' for word in words]
        has_twins = any(name.startswith('lib/twin/') for name in present)
        if has_twins or not re.search(r'\btwins\b', '\n'.join(lines)):
            paragraphs.append('\n'.join(lines))
    result = '\n\n'.join(paragraphs)
    result = re.sub(r'^# From top to bottom.*\n|^ifeq \(\$\(KBUILD_EXTMOD\),\)\n', '', result, flags=re.MULTILINE)
    result = re.sub(r'^tree := .*\n', '', result, flags=re.MULTILINE).replace('$(tree)', '$(srctree)')
    return f'# SPDX-License-Identifier: GPL-2.0\n\n{result}\n'


def kconfig(text: str) -> str:
    """The Kconfig without the options of the module and of make mutation."""
    blocks = re.split(r'\n\n(?=(?:# .*\n)*config )', text)
    return '\n\n'.join(block for block in blocks
                     if not re.search(r'^config (MMU_NOTIFIER|PTEBATCH_MUTATION)$', block, re.MULTILINE)).rstrip('\n') + '\n'


def kunitconfig(text: str) -> str:
    """The options of a run on any architecture."""
    return (text.replace(' Options of one architecture are in tests/guests/arch/.', '')
            .replace('CONFIG_PTEBATCH_KUNIT_TEST=y\n', 'CONFIG_PTEBATCH_KUNIT_TEST=y\nCONFIG_PTEBATCH_KUNIT_FEATURES=y\n\n'
                     '# A RAM disk is the swap space; it takes memory only as it fills.\nCONFIG_BLK_DEV_RAM_SIZE=327680\n'))


def maintained(text: str) -> str:
    """MAINTAINERS with an entry for the suites, in its order."""
    title = ENTRY.partition('\n')[0]
    for match in re.finditer(r'^(MEMORY MANAGEMENT - .*)\n[A-Z]:\t', text, re.MULTILINE):
        if match[1] > title:
            return text[:match.start()] + ENTRY + text[match.start():]
    raise Trouble(f'{MAINTAINERS}: no section after "{title}"', 'type KSRC= with another kernel tree')


def indexed(text: str) -> str:
    """The index of Documentation/mm with our page, in the order of its last list."""
    start = text.rindex('.. toctree::')
    for match in re.finditer(r'^   (\w[\w/-]*)$', text[start:], re.MULTILINE):
        if match[1] > 'ptebatch':
            at = start + match.start()
            return f'{text[:at]}   ptebatch\n{text[at:]}'
    return text.rstrip('\n') + '\n   ptebatch\n'


def _hooks(tree: Path) -> Mapping[str, str]:
    """The files of the tree that the first patch changes or adds besides those of the project."""
    read = {name: (tree / name).read_bytes() for name in ('mm/Kconfig', 'mm/Makefile')}
    changed = hooked(read['mm/Kconfig'], read['mm/Makefile'])
    return {**{name: content.decode() for name, content in changed.items()},
            MAINTAINERS: maintained((tree / MAINTAINERS).read_text()),
            f'{HOME}/Kconfig': kconfig((PROJECT / 'Kconfig').read_text()),
            f'{HOME}/.kunitconfig': kunitconfig((PROJECT / 'kunitconfig').read_text())}


def steps(tree: Path) -> Iterator[tuple[Patch, Mapping[str, str]]]:
    """Each patch, with the new contents of the files that it changes or adds in a tree."""
    present: set[str] = set()
    for number, patch in enumerate(patches()):
        files = {} if number else dict(_hooks(tree))
        for name in patch.files:
            text = (PROJECT / name).read_text()
            if name.endswith('.rst'):
                files.update({PAGE: text, INDEX: indexed((tree / INDEX).read_text())})
            else:
                files[f'{HOME}/{name}'] = text
        present.update(patch.files)
        yield patch, files | {f'{HOME}/Makefile': makefile((PROJECT / 'Makefile').read_text(), present)}
