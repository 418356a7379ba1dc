# SPDX-License-Identifier: GPL-2.0
"""Invalid input: one line with reason and remedy, before any work starts."""

import re
from pathlib import Path

import pytest

from unit.machine import Machine
from guests import identity
from guests.guest import Guest
from host.errors import Trouble
from host.kinds import KINDS
from host.settings import Settings
from trees import source


@pytest.mark.parametrize(('variables', 'message'), [
    ({'ARCH': 'vax'}, 'ARCH=vax: unknown architecture; type one of ARCH=um ARCH=x86_64 '),
    ({'ARCH': 'um', 'LOADABLE': '1'}, 'LOADABLE=1: not supported with ARCH=um; type'),
    ({'ARCH': 'x86_64', 'LOADABLE': '1', 'EXHAUSTIVE': '1'}, 'not supported with LOADABLE=1'),
    ({'ARCH': 'riscv', 'LOADABLE': '1'}, 'LOADABLE=1: not supported with ARCH=riscv; type'),
    ({'ARCH': 'um', 'DEBUG': '1'}, 'DEBUG=1: not supported with ARCH=um; type'),
    ({'ARCH': 'arm64', 'DEBUG': 'kcsan'}, 'DEBUG=kcsan: not supported with ARCH=arm64; type ARCH=x86_64, and no LOADABLE='),
    ({'ARCH': 'x86_64', 'DEBUG': 'kcsan', 'LOADABLE': '1'}, 'DEBUG=kcsan: not supported with ARCH=x86_64 and LOADABLE=1'),
    ({'ARCH': 'um', 'VARIANTS': 'all'},
     'VARIANTS=all: ARCH=um has no variants; type ARCH=arm64, which has main a57 a715 bbml3 va52 mte va48 16k 64k'),
    ({'ARCH': 'arm64', 'VARIANTS': 'a57 a75'},
     'ARCH=arm64 has no variant a75; type VARIANTS=all, or some of: main a57 a715 bbml3 va52 mte va48 16k 64k'),
    ({'ARCH': 'arm64', 'VARIANTS': 'all', 'LOADABLE': '1'}, 'VARIANTS=: not supported with LOADABLE=1 or DEBUG=1'),
    ({'ARCH': 'arm64', 'VARIANTS': 'a57', 'DEBUG': '1'}, 'VARIANTS=: not supported with LOADABLE=1 or DEBUG=1'),
    ({'SEED': 'x'}, 'SEED=x: expected a number above 0'),
    ({'SEED': '٣'}, 'SEED=٣: expected a number above 0'),
    ({'SEED': '18446744073709551616'}, 'SEED=18446744073709551616: expected a number below 2**64; for example SEED=1'),
    ({'ROUNDS': '-1'}, 'ROUNDS=-1: expected a number above 0'),
    ({'ROUNDS': '4294967296'}, 'ROUNDS=4294967296: expected a number below 2**32'),
    ({'JOBS': 'many'}, 'JOBS=many: expected a number above 0'),
    ({'TIMEOUT': '0'}, 'TIMEOUT=0: expected a number above 0'),
    ({'KSRC': '/no/such/tree'}, 'KSRC=/no/such/tree: no such file or folder; type KSRC= with an existing path'),
    ({'SERIES': '/no/such/patch'}, 'SERIES=/no/such/patch: no such file or folder'),
    ({'KCONFIG_ADD': 'CONFIG_XEN=y XEN_PV=y'}, 'KCONFIG_ADD=XEN_PV=y: expected options of the configuration; type for example'),
    ({'SUITES': 'ptebatch_madvise ptebatch_util'}, 'SUITES=ptebatch_madvise ptebatch_util: expected one pattern'),
])
def test_invalid_variables(variables: dict[str, str], message: str) -> None:
    with pytest.raises(Trouble) as trouble:
        Settings.read({'HOME': '/root'} | variables)
    assert message in str(trouble.value)


def test_results_folder_per_architecture() -> None:
    settings = Settings.read({'O': '/out', 'ARCH': 'arm64', 'LOADABLE': '1'})
    assert settings.results == Path('/out/arm64-loadable')


@pytest.mark.parametrize(('variables', 'long'), [({}, False), ({'SEED': '1'}, False), ({'ROUNDS': '9'}, True),
                                                 ({'EXHAUSTIVE': '1'}, True)])
def test_options_that_make_cases_longer(variables: dict[str, str], long: bool) -> None:
    settings = Settings.read({'ARCH': 'x86_64', 'TIMEOUT': '5000', **variables})
    assert settings.long == long
    assert settings.limit == (5000 if long else 500)
    assert ('--kernel_args=kunit.timeout=5000' in Guest(settings, Path('/tree'))._suites_command((), ())) == long


def test_kcsan_has_its_own_kernel() -> None:
    settings = Settings.read({'O': '/out', 'ARCH': 'x86_64', 'DEBUG': 'kcsan'})
    assert settings.kind == KINDS['kcsan']
    assert (settings.kernel, settings.results) == ('x86_64-kcsan', Path('/out/x86_64-kcsan'))
    assert settings.sources[0] == 'DEBUG=kcsan'
    assert settings.timeout == 1800


def test_more_options_have_their_own_kernel() -> None:
    plain = Settings.read({'ARCH': 'x86_64'})
    settings = Settings.read({'ARCH': 'x86_64', 'KCONFIG_ADD': ' CONFIG_XEN=y  CONFIG_XEN_PV=y '})
    assert settings.sources[0] == "KCONFIG_ADD='CONFIG_XEN=y CONFIG_XEN_PV=y'"
    assert re.fullmatch(r'x86_64-[0-9a-f]{8}', settings.kernel) and settings.name == 'x86_64'
    assert Guest(settings, Path('/tree'))._common() == [
        *Guest(plain, Path('/tree'))._common()[:2], '--build_dir', f'.kunit-{settings.kernel}',
        *Guest(plain, Path('/tree'))._common()[4:], '--kconfig_add=CONFIG_XEN=y', '--kconfig_add=CONFIG_XEN_PV=y']
    assert identity.benches(settings.arch, settings.config) != identity.benches(plain.arch, plain.config)


def test_no_kernel_tree(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match=': not a kernel tree; type the top folder of a kernel tree'):
        source.check(tmp_path)


@pytest.mark.parametrize(('variables', 'message'), [
    ({'KERNEL': '7.3.4'}, 'KERNEL=7.3.4: expected a version; type for example KERNEL=7.2'),
    ({'KERNEL': '7.2', 'KSRC': '.'}, 'KERNEL= and KSRC=: one kernel expected'),
])
def test_kernel_version(variables: dict[str, str], message: str) -> None:
    with pytest.raises(Trouble, match=message):
        Settings.read(variables)
    assert Settings.read({'KERNEL': '7.2'}).sources == ['KERNEL=7.2']


def test_kernel_too_old(machine: Machine) -> None:
    (machine.tree / 'Makefile').write_text('VERSION = 6\nPATCHLEVEL = 12\n')
    with pytest.raises(Trouble, match=r': Linux 6\.12 is too old; type KSRC= with Linux 7\.2 or newer'):
        source.check(machine.tree)


@pytest.mark.parametrize('missing', ['lib/kunit', 'tools/testing/kunit/kunit.py'])
def test_tree_without_kunit(machine: Machine, missing: str) -> None:
    (machine.tree / missing).rename(machine.tree / 'elsewhere')
    with pytest.raises(Trouble, match=f'KUnit is missing .{missing}'):
        source.check(machine.tree)


def test_valid_tree(machine: Machine) -> None:
    source.check(machine.tree)


@pytest.mark.parametrize(('command', 'variables', 'message'), [
    ('run', {'ARCH': 'vax'}, 'ARCH=vax: unknown architecture'),
    ('bench', {'ARCH': 'um', 'CLOCK': 'count'}, 'CLOCK=count: not supported with ARCH=um'),
    ('bench', {'CLOCK': 'sundial'}, 'CLOCK=sundial: unknown clock; type CLOCK=count or CLOCK=native'),
    ('bench', {'SEED': '1'}, 'do not apply to benches'),
    ('bench', {'ARCH': 'arm64', 'VARIANTS': 'all'}, 'do not apply to benches'),
    ('compare', {}, 'SERIES= is not set'),
    ('gate', {'BASELINE': '/etc/hosts', 'ARCH': 'arm64 um'},
     'BASELINE= is a record of one architecture, but make gate runs arm64 um'),
    ('gate', {'BASELINE': '/etc/hosts', 'ARCH': ''},
     'BASELINE= is a record of one architecture, but make gate runs x86_64 arm64'),
    ('gate', {'BASELINE': '/no/such/file'}, 'BASELINE=/no/such/file: no such file or folder'),
    ('gate', {'BASELINE': '/etc'}, '/etc cannot be read: Is a directory'),
    ('gate', {'TOLERANCE': '2'}, 'TOLERANCE=2: expected a percentage; type for example TOLERANCE=2%'),
    ('gate', {'ARCH': 'x86_64 vax'}, 'ARCH=vax: unknown architecture'),
    ('gate', {'LOADABLE': '1'}, 'LOADABLE=, DEBUG=, VARIANTS=, EXHAUSTIVE=, SEED= and ROUNDS= do not apply to benches'),
    ('selftests', {'ARCH': 'um'}, 'ARCH=um: the selftests are not supported; type ARCH=x86_64 or ARCH=arm64'),
    ('selftests', {'SUITES': 'x'}, 'SUITES= does not apply to selftests; leave it out'),
    ('bench', {'DEBUG': 'kcsan'}, 'do not apply to benches'),
    ('selftests', {'DEBUG': '1'}, 'do not apply to selftests; leave them out'),
    ('selftests', {'TIMEOUT': 'x'}, 'TIMEOUT=x: expected a number above 0'),
    ('reproduce', {'ARCH': 's390'}, 'ARCH=s390: there is no reproducer for it; type ARCH=arm64 or ARCH=riscv or ARCH=x86_64'),
    ('reproduce', {'LOADABLE': '1'}, 'do not apply to make reproduce'),
])
def test_one_line_and_status_2(machine: Machine, command: str, variables: dict[str, str], message: str) -> None:
    ended = machine.run(command, **({'ARCH': 'x86_64'} | variables))
    assert ended.returncode == 2
    assert ended.stderr.startswith('ptebatch: ') and message in ended.stderr and ended.stderr.count('\n') == 1
    assert not machine.cache.exists()
