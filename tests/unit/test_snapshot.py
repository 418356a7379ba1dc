# SPDX-License-Identifier: GPL-2.0
"""Copies of a guest that waits for a text: of QEMU, with the smallest kernel that does so."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from guests import snapshot
from guests.snapshot import Snapshot
from host.errors import Trouble

# Print where the text is, wait for it, print it, and stop.
KERNEL = '''
    .long 0x1badb002, 0, -0x1badb002    # the header of multiboot
    .globl _start
_start:
    mov $0x300000, %edi
    mov $message, %esi
    call print
wait:
    pause
    cmpb $0, (%edi)
    je wait
    mov %edi, %esi
    call print
stop:
    hlt
    jmp stop
print:
    mov $0x3f8, %dx     # the serial port
next:
    lodsb
    outb %al, %dx
    test %al, %al
    jnz next
    ret
message:
    .asciz "ptebatch: waits for a text at 0x300000\\n"
'''


@pytest.fixture(name='guest', scope='module')
def _guest(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    folder = tmp_path_factory.mktemp('guest')
    (folder / 'kernel.s').write_text(KERNEL)
    subprocess.run(['gcc', '-m32', '-nostdlib', '-static', '-Wl,-Ttext=0x100000,--build-id=none,-n', '-o', 'kernel', 'kernel.s'],
                   cwd=folder, check=True)
    argv = ['qemu-system-x86_64', '-nodefaults', '-nographic', '-serial', 'stdio', '-kernel', str(folder / 'kernel'), '-m', '16']
    return Snapshot(argv, folder, dict(os.environ), folder).saved()


@pytest.mark.parametrize('text', ['17,3,1,8', '1,' * 1500 + '2'], ids=['short', 'long'])
def test_copy_finds_its_text(guest: Snapshot, text: str) -> None:
    with guest.copy(text) as process:
        assert process.stdout
        assert process.stdout.read(len(text) + 1) == text.encode() + b'\0'


def test_copies_do_not_share_memory(guest: Snapshot) -> None:
    with guest.copy('one') as first, guest.copy('two') as second:
        assert first.stdout and second.stdout
        assert (first.stdout.read(4), second.stdout.read(4)) == (b'one\0', b'two\0')


def test_guest_that_does_not_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, 'BOOT', 1)
    argv = ['qemu-system-x86_64', '-nodefaults', '-nographic', '-serial', 'stdio', '-m', '16']
    with pytest.raises(Trouble, match='the guest does not boot'):
        Snapshot(argv, tmp_path, dict(os.environ), tmp_path).saved()


def test_qemu_that_does_not_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, 'BOOT', 1)
    with pytest.raises(Trouble, match='nonesuch does not answer within 1 s'):
        Snapshot(['nonesuch', '-m', '16'], tmp_path, dict(os.environ), tmp_path).saved()


def test_state_that_is_lost(guest: Snapshot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshot, 'BOOT', 1)
    with pytest.raises(Trouble, match='does not answer|QEMU ends at'):
        with Snapshot(guest.argv, guest.cwd, guest.env, tmp_path, guest.address).copy('x'):
            pass
