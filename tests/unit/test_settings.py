# SPDX-License-Identifier: GPL-2.0
"""Bad input: one line with the reason and the remedy, before anything is done."""

from pathlib import Path

import pytest

from unit.machine import Machine
from host.errors import Trouble
from host.settings import Settings
from trees import source


@pytest.mark.parametrize(('variables', 'complaint'), [
    ({'ARCH': 'vax'}, 'ARCH=vax is no architecture of the suites; give one of: um, x86_64, arm64'),
    ({'ARCH': 'um', 'LOADABLE': '1'}, 'LOADABLE=1 does not work with ARCH=um; give'),
    ({'ARCH': 'x86_64', 'LOADABLE': '1', 'EXHAUSTIVE': '1'}, 'do not work with LOADABLE=1'),
    ({'ARCH': 'um', 'DEBUG': '1'}, 'DEBUG=1 works neither with ARCH=um nor with LOADABLE=1'),
    ({'ARCH': 'um', 'VARIANTS': 'all'},
     'ARCH=um has no variants (VARIANTS=all); give ARCH=arm64, which has main, a57, bbml3, va52, va48, 16k, 64k'),
    ({'ARCH': 'arm64', 'VARIANTS': 'a57 a75'},
     'arm64 has no variant a75; give all, or some of: main, a57, bbml3, va52, va48, 16k, 64k'),
    ({'ARCH': 'arm64', 'VARIANTS': 'all', 'LOADABLE': '1'}, 'VARIANTS= works neither with LOADABLE=1 nor with DEBUG=1'),
    ({'ARCH': 'arm64', 'VARIANTS': 'a57', 'DEBUG': '1'}, 'VARIANTS= works neither with LOADABLE=1 nor with DEBUG=1'),
    ({'SEED': 'x'}, 'SEED=x is no number above 0'),
    ({'SEED': '٣'}, 'SEED=٣ is no number above 0'),
    ({'SEED': '18446744073709551616'}, 'SEED=18446744073709551616 is too large; give a number below 2**64'),
    ({'ROUNDS': '-1'}, 'ROUNDS=-1 is no number above 0'),
    ({'ROUNDS': '4294967296'}, 'ROUNDS=4294967296 is too large'),
    ({'JOBS': 'many'}, 'JOBS=many is no number above 0'),
    ({'TIMEOUT': '0'}, 'TIMEOUT=0 is no number above 0'),
    ({'KSRC': '/no/such/tree'}, 'KSRC=/no/such/tree does not exist'),
    ({'SERIES': '/no/such/patch'}, 'SERIES=/no/such/patch does not exist'),
])
def test_refused(variables: dict[str, str], complaint: str) -> None:
    with pytest.raises(Trouble) as trouble:
        Settings.read({'HOME': '/root'} | variables)
    assert complaint in str(trouble.value)


def test_results_go_by_architecture() -> None:
    settings = Settings.read({'O': '/out', 'ARCH': 'arm64', 'LOADABLE': '1'})
    assert settings.results == Path('/out/arm64-loadable')


def test_no_kernel_tree(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match='is no kernel tree; give the top folder of one'):
        source.check(tmp_path)


def test_too_old(machine: Machine) -> None:
    (machine.tree / 'Makefile').write_text('VERSION = 6\nPATCHLEVEL = 12\n')
    with pytest.raises(Trouble, match=r'is Linux 6\.12, too old; give 7\.3 or newer'):
        source.check(machine.tree)


@pytest.mark.parametrize('missing', ['lib/kunit', 'tools/testing/kunit/kunit.py'])
def test_without_kunit(machine: Machine, missing: str) -> None:
    (machine.tree / missing).rename(machine.tree / 'elsewhere')
    with pytest.raises(Trouble, match=f'lacks KUnit .{missing}'):
        source.check(machine.tree)


def test_a_good_tree(machine: Machine) -> None:
    source.check(machine.tree)


def test_one_line_and_status_2(machine: Machine) -> None:
    ended = machine.run(ARCH='vax')
    assert ended.returncode == 2
    assert ended.stderr.count('ptebatch: ') == 1
    assert not machine.cache.exists()
