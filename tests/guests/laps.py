# SPDX-License-Identifier: GPL-2.0
"""Count what each lap of a bench executes, by a plugin of QEMU: see plugin/laps.c."""

from __future__ import annotations

from pathlib import Path

from guests.guest import Guest
from host.console import Console
from host.settings import PROJECT
from host import tools

SOURCE = PROJECT / 'tests/guests/plugin/laps.c'
# The types of symbols that nm prints for code.
CODE = 'tTwW'
# QEMU's monitor ends a machine without a CPU at once.
QUIT = 'quit\n'


def output(results: Path) -> Path:
    """The file of the laps in a folder of results."""
    return results / 'laps'


def _symbols(guest: Guest) -> str:
    """The functions of the kernel, by address, for the plugin."""
    found = tools.run([guest.arch.cross_compile + 'nm', '-n', guest.build_path / 'vmlinux'])
    words = [line.split() for line in found.splitlines()]
    return ''.join(f'{word[0]} {word[2]}\n' for word in words if len(word) == 3 and word[1] in CODE)


def _option(**paths: Path) -> str:
    """The value of -plugin; QEMU reads a double comma as one."""
    library, *arguments = (f'{name}={str(path).replace(",", ",,")}' for name, path in paths.items())
    return ','.join([library.removeprefix('library='), *arguments])


def prepare(guest: Guest, console: Console) -> None:
    """Compile the plugin and let the guest use it; if it does not work, print the reason: the benches run without it."""
    laps = output(guest.settings.results)
    laps.unlink(missing_ok=True)
    if not guest.settings.counting:
        return
    symbols, library = guest.build_path / 'ptebatch-symbols', guest.build_path / 'ptebatch-laps.so'
    option = _option(library=library, symbols=symbols, output=laps)
    try:
        tools.run(['gcc', '-O2', '-fPIC', '-shared', '-fvisibility=hidden', '-o', library, SOURCE])
        symbols.write_text(_symbols(guest))
        tools.run(tools.supervised([guest.arch.qemu, '-machine', 'none', '-nodefaults', '-display', 'none', '-monitor', 'stdio',
                                    '-accel', 'tcg', '-plugin', option]), stdin=QUIT)
    except (tools.Failed, FileNotFoundError) as error:
        reason = error.last_line() if isinstance(error, tools.Failed) else str(error)
        console.say(f'laps      no events, and no instructions by function: {reason}')
        return
    guest.plugin = option
