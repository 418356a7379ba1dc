# SPDX-License-Identifier: GPL-2.0
"""The recipients of a patch, as scripts/get_maintainer.pl of the kernel tree under test says."""

from __future__ import annotations

import email.utils
import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from host.errors import Trouble
from host import tools

SCRIPT = 'scripts/get_maintainer.pl'
# Only MAINTAINERS: a tree without history must give the same recipients as one with it.
OPTIONS = ('--nogit', '--no-git-fallback', '--no-fixes', '--rolestats', '--subsystem', '--json')
# These sections match every patch, or each one of mm/.
EVERYTHING = ('THE REST', 'MEMORY MANAGEMENT')


@dataclass(frozen=True)
class Recipients:
    """To whom a patch goes: `to` are the maintainers, `cc` the reviewers and lists; and the sections of MAINTAINERS."""

    to: Sequence[str]
    cc: Sequence[str]
    lists: Sequence[str]
    sections: Sequence[str]


def _parsed(output: str) -> Recipients:
    """The recipients in the JSON of the script, which may print warnings above."""
    found = json.loads(output.strip().splitlines()[-1])
    to: list[str] = []
    cc: list[str] = []
    lists: list[str] = []
    for person in found['maintainers']:
        address = email.utils.formataddr((person['name'].strip('"'), person['email']))
        role = person['role'].partition(':')[0]
        if role.endswith('list'):
            lists.append(address)
        else:
            (cc if role == 'reviewer' else to).append(address)
    # The order of a Perl hash differs from run to run.
    sections = sorted({*found['subsystem']})
    narrow = [section for section in sections if section not in EVERYTHING]
    return Recipients(to, cc + lists, lists, narrow or sections)


def recipients(tree: Path, patch: Path) -> Recipients:
    """The recipients of a patch."""
    if not (tree / SCRIPT).is_file():
        raise Trouble(f'{tree}: no {SCRIPT}', 'type KSRC= with a complete kernel tree')
    try:
        # HOME: a .get_maintainer.conf of the user adds options.
        return _parsed(tools.run(['perl', SCRIPT, *OPTIONS, patch.resolve()], cwd=tree,
                                 env=tools.environment(HOME=os.devnull)))
    except (tools.Failed, ValueError, KeyError, IndexError) as error:
        raise Trouble(f'{SCRIPT} of {tree} does not say who maintains {patch.name}',
                      'type KSRC= with Linux 7.3 or newer', getattr(error, 'output', repr(error))) from error


def union(found: Iterable[Recipients]) -> Recipients:
    """The recipients of a cover letter: those of all patches."""
    each = list(found)

    def joined(field: str) -> list[str]:
        return list(dict.fromkeys(name for one in each for name in getattr(one, field)))

    to = joined('to')
    return Recipients(to, [name for name in joined('cc') if name not in to], joined('lists'), joined('sections'))
