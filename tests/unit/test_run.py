# SPDX-License-Identifier: GPL-2.0
"""`make run` on a kernel tree whose build and boot are replaced."""

from __future__ import annotations

import json
import subprocess
import time

import pytest

from unit.machine import HALTED, KTAP, Machine, ktap_with, print_log
from host.settings import PROJECT
from results.report import CAUSES, skip_causes

FAILING = KTAP.replace('    ok 2 second', '    # second: expected {Wdyx*16} got {Wdyx*15 !Rdyx}\n    not ok 2 second') \
              .replace('pass:2 fail:0', 'pass:1 fail:1').replace('ok 1 ptebatch_fake', 'not ok 1 ptebatch_fake')
RANDOM_FAILING = FAILING.replace('    # second:', '    # second: random seed=5 rounds=100\n'
                                 '    # second: random failed seed=7\n    # second:')
SKIPPING = KTAP.replace('ok 2 second', 'ok 2 second # SKIP no THP here')
CUT_SHORT = KTAP[:KTAP.index('    ok 2')]


def counts(machine: Machine, folder: str = 'um') -> dict[str, int]:
    counted: dict[str, int] = json.loads((machine.out / folder / 'results.json').read_text())['misc']
    return counted


def test_skipped_cases_by_cause() -> None:
    reasons = {'no swap without CONFIG_BLK_DEV_RAM': 262, 'no PMD without CONFIG_X': 900, 'CONFIG_X is not set': 200, 'no half': 1}
    assert skip_causes(reasons) == ['1,100: without CONFIG_X', '262: no swap without CONFIG_BLK_DEV_RAM', '1: no half']
    many = skip_causes({f'reason {number}': number for number in range(1, 10)})
    assert many[0] == '9: reason 9' and many[6:] == ['3: reason 3', '3: 2 other causes'] and len(many) == CAUSES


def test_passed(machine: Machine) -> None:
    ended = machine.run()
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert '[PASSED] second' in ended.stdout
    assert '\npassed    um: 2 passed, 0 failed, 0 skipped; ' in ended.stdout
    assert sorted(path.name for path in (machine.out / 'um').iterdir()) == [
        'boot.log', 'results.json', 'results.junit.xml', 'results.ktap', 'results.txt', 'run.json']
    assert counts(machine)['passed'] == 2
    assert (machine.out / 'um/results.ktap').read_text() == KTAP
    assert (machine.out / 'um/boot.log').read_text() == KTAP + HALTED
    assert (machine.out / 'um/results.txt').read_text() in ended.stdout


def shares(first: str, second: str) -> str:
    """A guest that prints one of two logs: that of the suites which its kernel parameters select."""
    return f'case "$*" in *"[!"*) {print_log(second)};; *) {print_log(first)};; esac\n'


def test_two_guests_share_the_suites(machine: Machine) -> None:
    machine.guest(shares(KTAP + HALTED, FAILING.replace('fake', 'other').replace('second', 'third') + HALTED))
    ended = machine.run(JOBS='2')
    assert ended.returncode == 1
    assert '\nFAILED    um: 3 passed, 1 failed, 0 skipped; ' in ended.stdout
    assert '\nfailed    third\n' in ended.stdout
    assert ended.stdout.index('ptebatch_fake') < ended.stdout.index('ptebatch_other')
    results = json.loads((machine.out / 'um/results.json').read_text())
    assert [group['name'] for group in results['sub_groups']] == ['ptebatch_fake', 'ptebatch_other']
    ktap = (machine.out / 'um/results.ktap').read_text()
    assert ktap.startswith('KTAP version 1\n1..2\n    KTAP version 1\n') and ktap.count('\nKTAP') == 0
    assert '\nok 1 ptebatch_fake\n' in ktap and ktap.endswith('\nnot ok 2 ptebatch_other\n')
    assert (machine.out / 'um/boot.log').read_text().count(HALTED) == 2


def test_panic_of_one_of_two_guests(machine: Machine) -> None:
    machine.guest(shares(CUT_SHORT + 'Kernel panic - not syncing: here\n', KTAP.replace('fake', 'other') + HALTED))
    ended = machine.run(JOBS='2')
    assert ended.returncode == 1
    assert '[FAILED] the kernel panicked; the last lines of its log:' in ended.stdout
    assert '[PASSED] ptebatch_other' in ended.stdout


def test_second_of_two_guests_hangs(machine: Machine) -> None:
    machine.guest(shares(KTAP + HALTED, CUT_SHORT) + 'case "$*" in *"[!"*) exec sleep 60;; esac\n')
    begun = time.monotonic()
    ended = machine.run(JOBS='2', TIMEOUT='1')
    assert ended.returncode == 1 and time.monotonic() - begun < 30
    assert 'the guest did not finish within 1 s (TIMEOUT=)' in ended.stdout


def test_failed_case(machine: Machine) -> None:
    machine.guest(print_log('booting\n' + FAILING + HALTED))
    ended = machine.run()
    assert ended.returncode == 1
    assert 'expected {Wdyx*16} got {Wdyx*15 !Rdyx}' in ended.stdout
    assert '\nFAILED    um: 1 passed, 1 failed' in ended.stdout
    assert counts(machine)['failed'] == 1


def test_random_failure_prints_replay_command(machine: Machine) -> None:
    machine.guest(print_log(RANDOM_FAILING + HALTED))
    output = machine.run().stdout
    assert '\nrandom    SEED=5 ROUNDS=100\n' in output
    assert f'\nagain by  make run ARCH=um SUITES=ptebatch_fake.second SEED=7 ROUNDS=1 KSRC={machine.tree}\n' in output


def test_random_failure_in_a_later_round_prints_replay_command(machine: Machine) -> None:
    rounds = ''.join(f'ptebatch: insertion {n}\n{ktap}ptebatch: removal {n}\n' for n, ktap in enumerate((KTAP, RANDOM_FAILING, KTAP), 1))
    machine.program('qemu-system-x86_64', print_log('KTAP version 1\n1..0\n' + rounds + 'reboot: Restarting system\n'))
    output = machine.run(ARCH='x86_64', LOADABLE='1').stdout
    assert '\n[FAILED] a case failed in round 2\nagain by  make run ARCH=x86_64 SUITES=ptebatch_fake.second SEED=7 ROUNDS=1 ' in output


def test_combinations_of_each_operation(machine: Machine) -> None:
    machine.guest(print_log(ktap_with('combinations tried=1 total=7', 'combinations tried=5 total=7 op=to no access') + HALTED))
    output = machine.run().stdout
    assert '\ntried     5 of 7 combinations to no access\n' in output and output.count('\ntried ') == 1


def test_skips_are_reported_with_reason(machine: Machine) -> None:
    machine.guest(print_log(SKIPPING + HALTED))
    ended = machine.run()
    assert ended.returncode == 0
    assert '\nskipped   1: no THP here\n' in ended.stdout
    assert (machine.out / 'um/skipped.txt').read_text() == '     1 no THP here\n'


@pytest.mark.parametrize('log', [
    HALTED,
    KTAP.replace('1..1', '1..0', 1)[:len('KTAP version 1\n1..1\n')] + HALTED,
    KTAP.replace('ok 1 first', 'ok 1 first # SKIP a').replace('ok 2 second', 'ok 2 second # SKIP b') + HALTED,
    CUT_SHORT,
    KTAP.replace('1..2', '1..3') + HALTED,
    'KTAP version 1\n1..1\n\x00\xffrubbish\n' + HALTED,
], ids=['no KTAP', 'no suite', 'all skipped', 'cut short', 'a case missing', 'rubbish'])
def test_incomplete_results_fail(machine: Machine, log: str) -> None:
    machine.guest(print_log(log))
    assert machine.run().returncode == 1


@pytest.mark.parametrize('warning', [
    '[    3.141593] BUG: KASAN: slab-use-after-free in exit_mmap+0x1/0x2',
    'WARNING: possible circular locking dependency detected',
    '[    3.141593][   T42] WARNING: CPU: 0 PID: 1 at mm/memory.c:1', 'BUG kmalloc-64 (Tainted): Poison overwritten',
    'Disabling lock debugging due to kernel taint', 'get_swap_device: Bad swap offset entry 2a',
    '[    3.141593] mm/pgtable-generic.c:42: bad pmd 00000000deadbeef(0000000000000001)'])
def test_warning_between_cases_fails_the_run(machine: Machine, warning: str) -> None:
    machine.guest(print_log(KTAP + warning + '\n' + HALTED))
    ended = machine.run()
    assert ended.returncode == 1
    assert f'[FAILED] the kernel warned: {warning[warning.rfind("] ") + 2 if "] " in warning else 0:]}\n' in ended.stdout
    assert '\nFAILED    um: 2 passed, 0 failed' in ended.stdout


def test_warnings_at_boot_and_of_the_suites_are_ignored(machine: Machine) -> None:
    machine.guest(print_log('WARNING: at boot\n' + KTAP
                            + '    # a: WARNING: no\nBUG: x (ptebatch tries whether it is found)\n'
                            + 'page dumped because: x\nexpected report: page dumped because: x\n' + HALTED))
    assert machine.run().returncode == 0


def test_panic_shows_last_lines(machine: Machine) -> None:
    machine.guest(print_log(CUT_SHORT + 'Kernel panic - not syncing: oops\nthe last line\n') + 'exit 1\n')
    ended = machine.run()
    assert ended.returncode == 1
    assert '[FAILED] the kernel panicked; the last lines of its log:\n' in ended.stdout
    assert '\n    the last line\n' in ended.stdout


def test_hang_ends_after_timeout(machine: Machine) -> None:
    progress = '    # second: combinations tried=5 total=7\n'
    machine.guest(print_log(CUT_SHORT + progress + 'the last line\n') + 'exec sleep 1000\n')
    begun = time.monotonic()
    ended = machine.run(TIMEOUT='2')
    assert ended.returncode == 1
    assert time.monotonic() - begun < 20
    assert ('[FAILED] the guest did not finish within 2 s (TIMEOUT=), so far 5 of 7 combinations; the last lines of its log:\n'
            in ended.stdout)
    assert '\n    the last line\n' in ended.stdout


def test_results_of_earlier_run_are_removed(machine: Machine) -> None:
    machine.run()
    (machine.tree / 'Makefile').write_text('VERSION = 7\nPATCHLEVEL = 3\n')
    assert machine.run().returncode == 2
    assert sorted(path.name for path in (machine.out / 'um').iterdir()) == ['previous', 'results.txt']


def test_failed_build_shows_first_errors(machine: Machine) -> None:
    makefile = (machine.tree / 'Makefile').read_text()
    (machine.tree / 'Makefile').write_text(makefile + "\t@echo 'mm/x.c:3: error: no such thing' >&2; exit 1\n")
    ended = machine.run()
    assert ended.returncode == 2
    assert 'mm/x.c:3: error: no such thing' in ended.stdout
    assert ended.stderr.startswith('ptebatch: the kernel does not build for ARCH=um in ')


def test_failed_build_without_compiler_error(machine: Machine) -> None:
    makefile = (machine.tree / 'Makefile').read_text()
    (machine.tree / 'Makefile').write_text(makefile + "\t@echo 'mm/x.c:3: warning: large' >&2; kill $$$$\n")
    output = machine.run().stdout
    assert '\nmm/x.c:3: warning: large\nmake: *** [Makefile:' in output
    assert 'Terminated\n' in output


def test_missing_config_option(machine: Machine) -> None:
    makefile = (machine.tree / 'Makefile').read_text()
    (machine.tree / 'Makefile').write_text(makefile.replace(
        'olddefconfig: ;', "olddefconfig:\n\t@sed -i '/CONFIG_KUNIT=y/d' $(O)/.config"))
    ended = machine.run()
    assert ended.returncode == 2
    assert 'Missing: CONFIG_KUNIT=y' in ended.stdout


def test_configures_only_after_changes(machine: Machine) -> None:
    makefile = (machine.tree / 'Makefile').read_text()
    runs = machine.tree.parent / 'runs'
    (machine.tree / 'Makefile').write_text(makefile.replace(
        'olddefconfig: ;', f"olddefconfig:\n\t@echo >>{runs}; mkdir -p $(O)/include/config; "
        "printf 'a := b\\n\\ndeps_config := \\\\\\n\\tmm/Kconfig \\\\\\n\\n$$(c):\\n\\td\\n' >$(O)/include/config/auto.conf.cmd"))
    assert machine.run().returncode == 0
    first = len(runs.read_text())
    assert machine.run().returncode == 0
    assert len(runs.read_text()) == first
    kconfig = machine.tree / 'mm/Kconfig'
    kconfig.write_text(kconfig.read_text().replace('Memory', 'memory'))
    assert machine.run().returncode == 0
    second = len(runs.read_text())
    assert second > first
    [configuration] = machine.cache.glob('ptebatch/trees/*/.kunit-um/.config')
    with configuration.open('a') as file:
        file.write('CONFIG_X=y\n')
    assert machine.run().returncode == 0
    assert len(runs.read_text()) > second


LIST = 'case "$*" in *kunit.action=list*)' + print_log('KTAP version 1\n1..1\nptebatch_fake.first\nptebatch_x.a\n' + HALTED) \
    + 'exit ;; *nosuch*)' + print_log('KTAP version 1\n1..0\n' + HALTED) + 'exit ;; esac\n'


def test_unknown_suites(machine: Machine) -> None:
    machine.guest(LIST + print_log(KTAP + HALTED))
    ended = machine.run(SUITES='nosuch*')
    assert ended.returncode == 2
    assert ended.stderr.startswith(
        'ptebatch: SUITES=nosuch* matches no suite; type SUITES= and one of ptebatch_fake, ptebatch_x\n')
    assert machine.run(SUITES='ptebatch_fake').returncode == 0


def test_series_and_back(machine: Machine) -> None:
    log = print_log(KTAP + HALTED)
    (machine.tree / 'guest').write_text(f'#!/bin/sh\n# here\n{log}')
    line = log.splitlines()[0]
    bad = machine.tree.parent / 'bad.patch'
    bad.write_text(f'--- a/guest\n+++ b/guest\n@@ -1,3 +1,3 @@\n #!/bin/sh\n-# here\n+exit\n {line}\n')
    assert machine.run().returncode == 0
    ended = machine.run(SERIES=str(bad))
    assert ended.returncode == 1
    assert 'series    bad.patch (on the kernel without fixes)\n' in ended.stdout
    assert machine.run().returncode == 0
    assert len([path for path in (machine.cache / 'ptebatch/trees').iterdir() if path.is_dir()]) == 2


def test_older_version_is_named(machine: Machine) -> None:
    box = machine.tree.parent / 'thread.mbox'
    box.write_text(''.join(f'From a Mon Sep 17 00:00:00 2001\nFrom: a@example.org\nSubject: [PATCH{version}] mm: new\n\n'
                           f'--- /dev/null\n+++ b/mm/new.c\n@@ -0,0 +1 @@\n+int new{number};\n\n'
                           for number, version in enumerate((' v2', ''))))
    ended = machine.run(SERIES=str(box))
    assert ended.returncode == 0
    assert ('left out  thread.mbox: v1, 1 patch: v2 is newer\n'
            'series    [PATCH v2] mm: new (on the kernel without fixes)\n') in ended.stdout


def test_series_does_not_apply(machine: Machine) -> None:
    bad = machine.tree.parent / 'bad.patch'
    bad.write_text('--- a/mm/mprotect.c\n+++ b/mm/mprotect.c\n@@ -1,3 +1,3 @@\n one\n-zwei\n+2\n three\n')
    ended = machine.run(SERIES=str(bad))
    assert ended.returncode == 2
    assert 'mm/mprotect.c.rej:' in ended.stdout
    assert '\n-zwei\n' in ended.stdout
    assert ended.stderr.startswith('ptebatch: "bad.patch" does not apply: patch failed: mm/mprotect.c:1; ')


def test_full_disk_is_one_error_line(machine: Machine) -> None:
    """Uses a real file system that is too small for the tree, if the user may mount it."""
    small = machine.cache.parent / 'small'
    small.mkdir()
    mount = ['unshare', '-m', 'sh', '-c', 'mount -t tmpfs -o size=64k none "$0" && exec "$@"', str(small)]
    if subprocess.run([*mount, 'true'], capture_output=True, check=False).returncode:
        pytest.skip('cannot mount here')
    ended = subprocess.run([*mount, 'make', 'run'], env=machine.env(XDG_CACHE_HOME=str(small)), cwd=PROJECT,
                           text=True, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    assert ended.returncode == 2
    assert ended.stderr.startswith('ptebatch: the disk is full')
    assert ended.stderr.count('\n') == 1


def test_two_runs_at_once(machine: Machine) -> None:
    machine.guest('sleep 2\n' + print_log(KTAP + HALTED))
    with subprocess.Popen(['make', '-C', PROJECT, 'run'], env=machine.env(O=str(machine.out) + '2'),
                          stdout=subprocess.DEVNULL) as other:
        time.sleep(1)
        ended = machine.run()
        assert ended.returncode == 0
        assert other.wait() == 0
    assert ': waiting\n' in ended.stdout


def test_bug_of_the_tools_is_status_2(machine: Machine) -> None:
    (machine.tree / 'mm/Kconfig').unlink()
    (machine.tree / 'mm/Kconfig').mkdir()
    assert machine.run().returncode == 2


def test_unwritable_results_folder(machine: Machine) -> None:
    machine.out.write_text('a file')
    ended = machine.run(O=str(machine.out / 'x'))
    assert ended.returncode == 2
