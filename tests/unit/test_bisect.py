# SPDX-License-Identifier: GPL-2.0
"""`make bisect`: the suites after each patch of a series."""

from __future__ import annotations

from pathlib import Path

from unit.machine import HALTED, KTAP, Machine, print_log

NEW = '''\
diff --git a/mm/{0}.c b/mm/{0}.c
new file mode 100644
--- /dev/null
+++ b/mm/{0}.c
@@ -0,0 +1 @@
+int {0};
'''


def _series(machine: Machine, *names: str) -> str:
    folder: Path = machine.out / 'series'
    folder.mkdir(parents=True)
    for number, name in enumerate(names, 1):
        (folder / f'{number:04}-{name}.patch').write_text(NEW.format(name))
    return str(folder)


def test_suites_run_after_each_patch(machine: Machine) -> None:
    machine.program('qemu-system-x86_64', print_log(KTAP + HALTED))
    ended = machine.run('bisect', ARCH='x86_64', SERIES=_series(machine, 'first', 'second'))
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.count('passed     x86_64: ') == 2
    assert '0002-second.patch' in (machine.out / 'bisect/bisect.md').read_text()


def test_a_patch_that_fails_is_named_even_if_the_next_one_mends_it(machine: Machine) -> None:
    failed = KTAP.replace('    ok 2', '    not ok 2')
    machine.program('qemu-system-x86_64', (f'if test -e mm/second.c || test ! -e mm/first.c; then\n{print_log(KTAP + HALTED)}'
                                           f'else\n{print_log(failed + HALTED)}fi\n'))
    ended = machine.run('bisect', ARCH='x86_64', SERIES=_series(machine, 'first', 'second'))
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert 'FAILED     x86_64: 0001-first.patch' in ended.stdout
    assert 'passed     x86_64: 0002-second.patch' in ended.stdout


def test_series_is_needed(machine: Machine) -> None:
    ended = machine.run('bisect', ARCH='x86_64')
    assert ended.returncode == 2
    assert 'SERIES= is not set' in ended.stderr


def test_variants_do_not_apply(machine: Machine) -> None:
    ended = machine.run('bisect', ARCH='arm64', SERIES=_series(machine, 'first'), VARIANTS='va52')
    assert ended.returncode == 2
    assert 'VARIANTS= does not apply' in ended.stderr


def test_debug_applies(machine: Machine) -> None:
    machine.program('qemu-system-x86_64', print_log(KTAP + HALTED))
    ended = machine.run('bisect', ARCH='x86_64', SERIES=_series(machine, 'first'), DEBUG='1')
    assert ended.returncode == 0, ended.stdout + ended.stderr
