# SPDX-License-Identifier: GPL-2.0
"""A QEMU guest that is saved after its boot: copies go on from there, in a twentieth of the time of a boot.

The guest's memory is a file that each copy maps privately; what else QEMU saves are some kB.
"""

from __future__ import annotations

import json
import re
import shlex
import socket
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from host.errors import Trouble
from host import tools

# Where the guest waits for a text: see lib/kernel/mutation.c.
WAITS = re.compile(rb'ptebatch: waits for a text at 0x([0-9a-f]+)')
BOOT = 60       # seconds, on a busy machine
POLL = 0.002    # seconds
# The memory is not among what QEMU saves.
MEMORY_APART = {'capability': 'x-ignore-shared', 'state': True}
OTHER_QEMU = 'put another QEMU first in PATH; 7.2 works'
CHUNK = 1024    # bytes written at once; QEMU takes up to 4096 digits


class _Monitor:
    """QEMU's monitor, by QMP."""

    def __init__(self, connection: socket.socket):
        self._file = connection.makefile('rw')
        self._file.readline()   # QEMU's greeting
        self.run('qmp_capabilities')
        self.run('migrate-set-capabilities', capabilities=[MEMORY_APART])

    def run(self, command: str, **arguments: object) -> dict[str, str]:
        self._file.write(json.dumps({'execute': command, 'arguments': arguments}) + '\n')
        self._file.flush()
        for line in self._file:
            answer: dict[str, dict[str, str]] = json.loads(line)
            if 'return' in answer:
                return answer['return']
            if 'error' in answer:
                raise Trouble(f'QEMU refuses {command}: {answer["error"]["desc"]}', OTHER_QEMU)
        raise Trouble(f'QEMU ends at {command}', OTHER_QEMU)

    def wait_while(self, command: str, *states: str) -> None:
        deadline = time.monotonic() + BOOT
        while self.run(command).get('status', states[0]) in states:
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(POLL)


def _gdb(connection: socket.socket, packet: str) -> None:
    """Send a packet of gdb's remote protocol to which the answer is OK."""
    connection.sendall(f'${packet}#{sum(packet.encode()) % 256:02x}'.encode())
    answer = b''
    while not re.search(rb'#..$', answer) and (more := connection.recv(4096)):
        answer += more
    if b'$OK#' not in answer:
        raise Trouble(f'QEMU answers {answer!r} to {packet[:40]} of gdb', OTHER_QEMU)


def _write(path: str, address: int, text: bytes) -> None:
    """Write to the memory of a guest that is stopped, and let it run."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(BOOT)
        connection.connect(path)
        for first in range(0, len(text), CHUNK):
            chunk = text[first:first + CHUNK]
            _gdb(connection, f'M{address + first:x},{len(chunk):x}:{chunk.hex()}')
        _gdb(connection, 'D')


@dataclass(frozen=True)
class Snapshot:
    """A guest that waits for a text."""

    argv: Sequence[str]     # of QEMU
    cwd: Path
    env: Mapping[str, str]
    files: Path             # the folder of what is saved
    address: int = 0        # of the text

    @contextmanager
    def _started(self, share: str, *args: str) -> Iterator[tuple[subprocess.Popen[bytes], _Monitor, str]]:
        """A guest whose memory is the file, shared or private; its monitor, and the socket of its gdb stub."""
        megabytes = self.argv[len(self.argv) - self.argv[::-1].index('-m')]
        memory = f'memory-backend-file,id=ram,size={megabytes}M,mem-path={self.files}/ptebatch-memory,share={share}'
        with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
            listener.settimeout(BOOT)
            listener.bind(f'{folder}/qmp')
            listener.listen()
            argv = [*self.argv, '-object', memory, '-machine', 'memory-backend=ram', '-qmp', f'unix:{folder}/qmp',
                    '-gdb', f'unix:{folder}/gdb,server=on,wait=off', *args]
            with subprocess.Popen(tools.supervised(argv), cwd=self.cwd, env=self.env, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
                try:
                    connection, _ = listener.accept()
                    with connection:
                        connection.settimeout(BOOT)
                        yield process, _Monitor(connection), f'{folder}/gdb'
                except TimeoutError as error:
                    raise Trouble(f'{self.argv[0]} does not answer within {BOOT} s', 'see make run') from error
                finally:
                    process.terminate()     # not kill: the supervisor ends the guest

    @property
    def _state(self) -> str:
        return shlex.quote(f'{self.files}/ptebatch-state')

    def saved(self) -> Snapshot:
        """Boot the guest, and save it where it waits."""
        (self.files / 'ptebatch-memory').unlink(missing_ok=True)
        with self._started('on') as (process, monitor, _):
            assert process.stdout
            limit = threading.Timer(BOOT, process.terminate)
            limit.start()
            log = b''
            while not (found := WAITS.search(log)) and (line := process.stdout.readline()):
                log += line
            limit.cancel()
            if not found:
                raise Trouble('the guest does not boot', 'see the lines above', log.decode(errors='replace')[-2000:])
            monitor.run('stop')
            monitor.run('migrate', uri=f'exec:cat > {self._state}')
            monitor.wait_while('query-migrate', 'setup', 'active', 'device')
        return replace(self, address=int(found[1], 16))

    @contextmanager
    def copy(self, text: str) -> Iterator[subprocess.Popen[bytes]]:
        """A copy of the guest that finds this text where it waits."""
        with self._started('off', '-S', '-incoming', 'defer') as (process, monitor, gdb):
            monitor.run('migrate-incoming', uri=f'exec:cat {self._state}')
            monitor.wait_while('query-status', 'inmigrate')
            _write(gdb, self.address, text.encode())
            yield process
