# SPDX-License-Identifier: GPL-2.0
"""A kernel tree whose build and boot are replaced, and replacements of the programs that the tools call."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from host.settings import PROJECT, Settings
from host import tools

MAKEFILE = '''\
VERSION = 7
PATCHLEVEL = 3
olddefconfig: ;
compile_commands.json scripts_gdb headers modules_install: ;
modules:
\t@test -z "$(MO)" || { mkdir -p $(MO) && echo '$(MAKEOVERRIDES)' >$(MO)/ptebatch_kunit.ko; }
linux vmlinux bzImage Image Image.gz: all
all:
\t@mkdir -p $(O)/usr && cp guest $(O)/linux && touch $(O)/vmlinux && cp Makefile $(O)
\t@printf '#!/bin/sh\\ntouch "$$2"\\n' >$(O)/usr/gen_init_cpio
\t@chmod +x $(O)/linux $(O)/usr/gen_init_cpio
'''

KTAP = '''\
KTAP version 1
1..1
    KTAP version 1
    # Subtest: ptebatch_fake
    1..2
    ok 1 first
    ok 2 second
# ptebatch_fake: pass:2 fail:0 skip:0 total:2
ok 1 ptebatch_fake
'''
HALTED = 'reboot: System halted\n'


def script(path: Path, text: str) -> Path:
    """Write an executable shell script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('#!/bin/sh\n' + text)
    path.chmod(0o755)
    return path


def ktap_with(*lines: str) -> str:
    """KTAP with these lines as the output of its second case."""
    return KTAP.replace('    ok 2', ''.join(f'    # second: {line}\n' for line in lines) + '    ok 2')


def print_log(log: str) -> str:
    """Shell code that prints a boot log."""
    return f"cat <<'LOG'\n{log}LOG\n"


class Machine:
    """A user's machine: kernel tree, cache, results folder, and programs that replace those of the host."""

    def __init__(self, top: Path, kunit: Path):
        self.tree = top / 'linux'
        self.cache = top / 'cache'
        self.out = top / 'out'
        self.bin = top / 'bin'
        for path in (self.bin, self.tree / 'lib/kunit', self.tree / 'mm'):
            path.mkdir(parents=True)
        shutil.copytree(kunit / 'tools/testing/kunit', self.tree / 'tools/testing/kunit')
        shutil.copytree(kunit / 'tools/include/nolibc', self.tree / 'tools/include/nolibc')
        (self.tree / 'Makefile').write_text(MAKEFILE)
        (self.tree / 'mm/mprotect.c').write_text('one\ntwo\nthree\n')
        (self.tree / 'mm/Makefile').write_text('obj-y += mprotect.o\n')
        (self.tree / 'mm/Kconfig').write_text('menu "Memory"\nendmenu\n')
        self.guest(print_log(KTAP + HALTED))

    def guest(self, text: str) -> None:
        """Set the script that runs as the UML guest."""
        script(self.tree / 'guest', text)

    def program(self, name: str, text: str) -> None:
        """Install a script that precedes the host's program in PATH."""
        script(self.bin / name, text)

    def new_file(self) -> Path:
        """A series that only adds mm/new.c."""
        series = self.tree.parent / 'new.patch'
        series.write_text('--- /dev/null\n+++ b/mm/new.c\n@@ -0,0 +1 @@\n+int new;\n')
        return series

    def git(self, *args: str) -> str:
        """Run git in the kernel tree."""
        return tools.run(['git', '-c', 'user.name=a', '-c', 'user.email=a@example.org', '-c', 'commit.gpgsign=false',
                          *args], cwd=self.tree).strip()

    def checkout(self) -> str:
        """Make the kernel tree a clean git checkout and return its commit."""
        self.git('init', '-q')
        self.git('add', '-A')
        self.git('commit', '-qm', 'a kernel')
        return self.git('rev-parse', 'HEAD')

    def env(self, **variables: str) -> dict[str, str]:
        clean = {name: os.environ[name] for name in ('HOME', 'LANG') if name in os.environ}
        return clean | {'PATH': f'{self.bin}:{os.environ["PATH"]}', 'XDG_CACHE_HOME': str(self.cache),
                        'O': str(self.out), 'KSRC': str(self.tree), 'JOBS': '1'} | variables

    def run(self, goal: str = 'run', **variables: str) -> subprocess.CompletedProcess[str]:
        """Run make with this goal, as from a shell."""
        return subprocess.run(['make', '--no-print-directory', '-C', PROJECT, goal], env=self.env(**variables),
                              text=True, capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False)

    def settings(self, **variables: str) -> Settings:
        return Settings.read(self.env(**variables))
