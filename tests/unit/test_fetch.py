# SPDX-License-Identifier: GPL-2.0
"""Packages and kernel source: missing, incomplete and broken downloads."""

from __future__ import annotations

from pathlib import Path

import pytest

from unit.machine import Machine
from host.architecture import ARCHES
from host.console import Console
from host.errors import Trouble
from host import packages
from host.packages import Need
from host.settings import PROJECT
from host import tools
from host import wheels
from trees import source
from trees import sysroot

# Replacements of apt and dpkg-deb for a kernel source of two files.
APT_GET = '''
case " $* " in
*" indextargets "*) echo "Packages main http://example.org/debian/" ;;
*" download "*) touch linux-source-7.3_7.3.4-1_all.deb ;;
esac
'''
APT_CACHE = 'printf "%s\\n" linux-source-6.12 linux-source-7.3 linux-source-99.1 linux-source-7.3-rt\n'
DPKG_DEB = '''
mkdir -p "$3/usr/src" tree/linux-source-7.3/mm && touch tree/linux-source-7.3/Makefile tree/linux-source-7.3/mm/x.c
tar -cJf "$3/usr/src/linux-source-7.3.tar.xz" -C tree linux-source-7.3
'''
FULL = 'echo "cannot write: No space left on device" >&2; exit 2\n'


@pytest.fixture(name='apt')
def _apt(machine: Machine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Machine:
    """A machine with replacements of apt and dpkg-deb that succeed."""
    machine.program('apt-get', APT_GET)
    machine.program('apt-cache', APT_CACHE)
    machine.program('dpkg-deb', DPKG_DEB)
    monkeypatch.setenv('PATH', machine.env()['PATH'])
    monkeypatch.chdir(tmp_path)
    return machine


def entries(cache: Path) -> list[str]:
    return sorted(path.name for path in cache.iterdir() if path.name != '.lock')


def test_fetches_newest_supported_kernel(apt: Machine) -> None:
    assert source.fetched(apt.cache, Console()) == apt.cache / 'linux-source-7.3'
    assert entries(apt.cache) == ['linux-source-7.3']
    assert (apt.cache / 'linux-source-7.3/mm/x.c').exists()


def test_fetches_a_version(apt: Machine) -> None:
    assert source.fetched(apt.cache, Console(), '7.3') == apt.cache / 'linux-source-7.3'
    with pytest.raises(Trouble, match='no 7.2 kernel in trixie-backports or sid'):
        source.fetched(apt.cache, Console(), '7.2')


def test_fetches_a_release_candidate_beside_the_release(apt: Machine) -> None:
    source.fetched(apt.cache, Console())
    assert source.fetched(apt.cache, Console(), 'rc') == apt.cache / 'linux-source-7.3-rc'
    assert source.fetched(apt.cache, Console()) == apt.cache / 'linux-source-7.3'
    apt.program('apt-cache', 'echo linux-source-6.12\n')
    with pytest.raises(Trouble, match='no rc kernel in experimental'):
        source.fetched(apt.out, Console(), 'rc')


def test_cached_source_needs_no_network(apt: Machine) -> None:
    source.fetched(apt.cache, Console())
    for program in ('apt-get', 'apt-cache', 'dpkg-deb'):
        apt.program(program, 'exit 1\n')
    assert source.fetched(apt.cache, Console()) == apt.cache / 'linux-source-7.3'


def test_no_network(apt: Machine) -> None:
    apt.program('apt-get', APT_GET + 'case " $* " in *" update "*) echo "E: Could not resolve"; exit 100 ;; esac\n')
    with pytest.raises(Trouble, match='kernel source: E: Could not resolve; check the network connection, or type KSRC='):
        source.fetched(apt.cache, Console())
    assert entries(apt.cache) == []


def test_no_mirror(apt: Machine) -> None:
    apt.program('apt-get', 'echo "Packages main http://example.org/ubuntu/"\n')
    with pytest.raises(Trouble, match='no Debian mirror in the configuration of apt'):
        source.fetched(apt.cache, Console())


def test_no_apt(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not that dpkg is missing, which would not help."""
    monkeypatch.setenv('PATH', str(machine.bin))
    monkeypatch.setattr('host.packages.PATH', str(machine.bin))
    with pytest.raises(Trouble, match='cannot fetch from Debian: apt is not installed; type KSRC='):
        source.fetched(machine.cache, Console())


def test_no_supported_kernel(apt: Machine) -> None:
    apt.program('apt-cache', 'echo linux-source-6.12\n')
    with pytest.raises(Trouble, match='no supported kernel in trixie-backports or sid'):
        source.fetched(apt.cache, Console())


@pytest.mark.parametrize('program', ['apt-get', 'dpkg-deb', 'tar'])
def test_full_disk(apt: Machine, program: str) -> None:
    apt.program(program, (APT_GET if program == 'apt-get' else '') + FULL.replace('; exit', ' || :; exit'))
    if program == 'apt-get':
        apt.program(program, APT_GET + f'case " $* " in *" download "*) {FULL.strip()} ;; esac\n')
    with pytest.raises(Trouble, match='the disk is full .*; free some space'):
        source.fetched(apt.cache, Console())
    assert entries(apt.cache) == []


def test_broken_archive(apt: Machine) -> None:
    apt.program('dpkg-deb', 'mkdir -p "$3/usr/src"; echo rubbish >"$3/usr/src/linux-source-7.3.tar.xz"\n')
    with pytest.raises(Trouble, match='cannot unpack'):
        source.fetched(apt.cache, Console())
    assert entries(apt.cache) == []


def test_removes_files_of_a_killed_run(apt: Machine) -> None:
    for left in ('.tmp-download', '.tmp-linux-source-7.3-abc'):
        (apt.cache / left / 'mm').mkdir(parents=True)
    source.fetched(apt.cache, Console())
    assert entries(apt.cache) == ['linux-source-7.3']
    assert (apt.cache / 'linux-source-7.3/mm/x.c').exists()


def test_staging_removes_its_folder_on_failure(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        with tools.staging(tmp_path / 'made') as folder:
            (folder / 'half').write_text('')
            raise KeyboardInterrupt
    assert not list(tmp_path.iterdir())


MISSING = [Need('sh', 'dash'), Need('no-such-program', 'no-such-package'), Need('no/such/header.h', 'no-such-dev', 'cc')]


def test_missing_without_apt(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv('PATH', str(machine.bin))
    machine.program('sh', '')
    with pytest.raises(Trouble) as trouble:
        packages.ensure(MISSING, Console())
    assert str(trouble.value) == ('missing: no-such-program, no/such/header.h; '
                                  'install them (in Debian, as root: apt install no-such-dev no-such-package)')


@pytest.mark.parametrize(('manager', 'remedy'), [
    ('dnf', 'dnf install elfutils-libelf-devel qemu-system-x86 (names that were never tried)'),
    ('pacman', 'pacman -S libelf qemu-system-x86 (names that were never tried)'),
    ('zypper', 'zypper install libelf-devel qemu-x86 (names that were never tried)'),
])
def test_missing_in_another_distribution(machine: Machine, monkeypatch: pytest.MonkeyPatch, manager: str, remedy: str) -> None:
    """The names of its own packages; nothing is run, also with INSTALL=yes."""
    monkeypatch.setenv('PATH', str(machine.bin))
    monkeypatch.setattr('host.packages.PATH', str(machine.bin))
    monkeypatch.setenv('INSTALL', 'yes')
    machine.program(manager, f'touch {machine.out}.ran\n')
    needs = [Need('qemu-system-x86_64', 'qemu-system-x86'), Need('gelf.h', 'libelf-dev', 'gcc')]
    with pytest.raises(Trouble) as trouble:
        packages.ensure(needs, Console())
    assert str(trouble.value) == f'missing: qemu-system-x86_64, gelf.h; type: {remedy}'
    with pytest.raises(Trouble) as trouble:
        packages.ensure([*needs, Need('x-gcc', 'no-such-package')], Console())
    assert str(trouble.value).endswith(f'; type: {remedy}; no package of {manager} is known for no-such-package (in Debian, as root: '
                                       'apt install libelf-dev no-such-package qemu-system-x86)')
    with pytest.raises(Trouble, match=f'missing: x-gcc; install them; no package of {manager} is known for no-such-package'):
        packages.ensure([Need('x-gcc', 'no-such-package')], Console())
    assert not Path(f'{machine.out}.ran').exists()


@pytest.mark.parametrize(('manager', 'remedy'), [
    ('apt-get', 'add INSTALL=yes, or type: apt install python3 gcc libc6-dev'), ('dnf', 'type: dnf install python3 gcc glibc-devel'),
    ('pacman', 'type: pacman -S python gcc'), ('zypper', 'type: zypper install python3 gcc glibc-devel')])
def test_no_python(machine: Machine, manager: str, remedy: str) -> None:
    machine.program(manager, f'touch {machine.out}.ran\n')
    with pytest.raises(tools.Failed) as failed:
        tools.run([PROJECT / 'tests/host/bootstrap'], env={'PATH': str(machine.bin)})
    assert (failed.value.status, failed.value.output) == (2, f'ptebatch: missing: python3, cc; {remedy}\n')
    assert not Path(f'{machine.out}.ran').exists()


def test_the_table_of_distributions_has_each_package(monkeypatch: pytest.MonkeyPatch) -> None:
    lists = (value if isinstance(value, tuple) else (value,) for value in vars(packages).values())
    needs = {each for values in lists for each in values if isinstance(each, Need)}
    for machine in ('x86_64', 'aarch64'):
        monkeypatch.setattr('platform.machine', lambda machine=machine: machine)
        needs.update(need for arch in ARCHES.values() for need in packages.for_run(arch, arch.complete))
    for manager in ('apt', 'dnf', 'pacman', 'zypper'):
        found, unknown = packages.in_distribution(manager, (need.package for need in needs))
        assert manager == 'apt' and not unknown or {'ccache', 'git', 'make'} <= {*found}
    lines = [line.split(',') for line in packages.TABLE.read_text().splitlines() if not line.startswith('#')]
    assert {len(line) for line in lines} == {4}
    names = [line[0] for line in lines[1:]]
    assert names == sorted({*names})
    assert {*names} == {'python3', wheels.PIP.package, *(need.package for need in needs)}


def test_packages_of_the_container(capsys: pytest.CaptureFixture[str]) -> None:
    assert packages.main(['um', 'x86_64']) == 0
    assert {'qemu-system-x86', 'libelf-dev', 'gcc', 'python3', 'xz-utils'} <= {*capsys.readouterr().out.split()}
    with pytest.raises(Trouble, match='no package of zypper is known for gcc-riscv64-linux-gnu; '):
        packages.main(['riscv', '--manager', 'zypper'])


@pytest.mark.parametrize('consent', [{'INSTALL': 'yes'}, {'CI': 'true'}])
def test_missing_with_apt(apt: Machine, monkeypatch: pytest.MonkeyPatch, consent: dict[str, str]) -> None:
    monkeypatch.setattr('os.geteuid', lambda: 0)
    for name in ('INSTALL', 'CI'):
        monkeypatch.setenv(name, consent.get(name, ''))
    apt.program('apt-get', f'echo "$*" >>{apt.out}.apt\n')
    packages.ensure(MISSING, Console())
    assert Path(f'{apt.out}.apt').read_text().endswith('install -y --no-install-recommends no-such-dev no-such-package\n')


@pytest.mark.parametrize(('install', 'message'), [
    ('', 'missing: no-such-program, no/such/header.h; add INSTALL=yes, or type: apt install no-such-dev no-such-package'),
    ('no', 'missing: no-such-program, no/such/header.h; add INSTALL=yes, or type: apt install no-such-dev no-such-package'),
    ('maybe', 'INSTALL=maybe: expected yes or no; type INSTALL=yes to install missing packages'),
])
def test_nothing_is_installed_without_consent(apt: Machine, monkeypatch: pytest.MonkeyPatch, install: str, message: str) -> None:
    monkeypatch.setattr('os.geteuid', lambda: 0)
    monkeypatch.setenv('INSTALL', install)
    monkeypatch.setenv('CI', 'true' if install == 'no' else '')
    apt.program('apt-get', f'echo "$*" >>{apt.out}.apt\n')
    with pytest.raises(Trouble) as trouble:
        packages.ensure(MISSING, Console())
    assert str(trouble.value) == message and not Path(f'{apt.out}.apt').exists()


@pytest.mark.parametrize(('answer', 'installs'), [('y', True), ('', False)])
def test_asks_on_a_terminal(apt: Machine, monkeypatch: pytest.MonkeyPatch, answer: str, installs: bool) -> None:
    monkeypatch.setattr('os.geteuid', lambda: 0)
    for name in ('INSTALL', 'CI'):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr('host.packages.input', lambda _: answer, raising=False)
    for stream in ('stdin', 'stdout'):
        monkeypatch.setattr(f'sys.{stream}.isatty', lambda: True)
    apt.program('apt-get', f'echo "$*" >>{apt.out}.apt\n')
    if installs:
        packages.ensure(MISSING, Console())
    else:
        with pytest.raises(Trouble):
            packages.ensure(MISSING, Console())
    assert Path(f'{apt.out}.apt').exists() == installs


def test_apt_fails(apt: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr('os.geteuid', lambda: 0)
    monkeypatch.setenv('INSTALL', 'yes')
    apt.program('apt-get', 'echo "E: Unable to locate package"; exit 100\n')
    with pytest.raises(Trouble, match='apt could not install .*: E: Unable to locate package; check the network'):
        packages.ensure(MISSING, Console())


def test_no_apt_if_nothing_is_missing(apt: Machine) -> None:
    apt.program('apt-get', 'exit 1\n')
    packages.ensure([Need('sh', 'dash')], Console())


def test_packages_of_each_architecture() -> None:
    def wanted(arch: str, loadable: bool = False) -> set[str]:
        return {need.package for need in packages.for_run(ARCHES[arch], loadable)}
    assert 'qemu-system-x86' in wanted('x86_64') - wanted('um')
    assert 'qemu-system-arm' in wanted('arm64') - wanted('um')


@pytest.mark.parametrize(('apt_get', 'message'), [
    ('echo "Packages main http://example.org/ubuntu/"\n', 'no Debian mirror in the configuration of apt; type ARCH='),
    (APT_GET + 'case " $* " in *" update "*) echo "E: Could not resolve"; exit 100 ;; esac\n',
     'of arm64: E: Could not resolve; check the network connection, or type ARCH='),
])
def test_no_packages_of_another_arch(apt: Machine, monkeypatch: pytest.MonkeyPatch, apt_get: str, message: str) -> None:
    monkeypatch.setattr('platform.machine', lambda: 'x86_64')
    apt.program('apt-get', apt_get)
    with pytest.raises(Trouble) as trouble:
        sysroot.find(apt.cache, ARCHES['arm64'], Console())
    assert message in str(trouble.value) and 'ARCH=x86_64' in str(trouble.value) and 'KSRC=' not in str(trouble.value)
