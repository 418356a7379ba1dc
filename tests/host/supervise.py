# SPDX-License-Identifier: GPL-2.0
"""Run a program; kill all its descendants when it or the parent ends.

    supervise.py PID PROGRAM [ARG...]

SIGUSR1 sends SIGINT to the program only: kunit.py ends its guest, and reports what the guest printed so far.

The supervisor kills the descendants of the program when the program ends, when process PID, the parent, ends for any
reason, and when SIGTERM, SIGINT or SIGHUP arrives. The exit status is that of the program, or 128 + n after signal n.
The supervisor has its own session: a SIGKILL to the process group of the user's command does not reach it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

STOPS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
INTERRUPT = signal.SIGUSR1
TERM_SECONDS, KILL_SECONDS = 1.0, 0.5   # the time for descendants to end; in sum less than 2 s

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
_LIBC = ctypes.CDLL(None, use_errno=True)


def _prctl(option: int, value: int) -> None:
    if _LIBC.prctl(option, ctypes.c_ulong(value), 0, 0, 0):
        raise OSError(ctypes.get_errno(), f'prctl({option}): {os.strerror(ctypes.get_errno())}')


def signal_at_end_of(parent: int, number: signal.Signals) -> None:
    """Have the kernel send a signal to this process when its parent ends; exit now if the parent has ended."""
    _prctl(PR_SET_PDEATHSIG, number)
    if os.getppid() != parent:
        sys.exit(128 + number)


def _descendants() -> list[int]:
    """All descendants of this process, including zombies."""
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir('/proc')):
        with suppress(OSError):     # the process has ended
            with open(f'/proc/{name}/stat', 'rb') as file:
                # The second field, the program's name, may contain spaces and parentheses.
                parent = int(file.read().rpartition(b')')[2].split()[1])
            children.setdefault(parent, []).append(int(name))
    found = [os.getpid()]
    for pid in found:
        found += children.get(pid, [])
    return found[1:]


def _reap() -> dict[int, int]:
    """Reap the children that have ended; their wait statuses by PID."""
    ended = {}
    with suppress(ChildProcessError):
        while (reaped := os.waitpid(-1, os.WNOHANG))[0]:
            ended[reaped[0]] = reaped[1]
    return ended


def _end_descendants() -> None:
    """Send SIGTERM, at which make deletes half-written targets and UML its temporary files; then SIGKILL."""
    for number, seconds in ((signal.SIGTERM, TERM_SECONDS), (signal.SIGKILL, KILL_SECONDS)):
        signalled: set[int] = set()
        deadline = time.monotonic() + seconds
        while True:
            _reap()
            left = {*_descendants()}
            if not left:
                return
            new = left - signalled
            for pid in new:
                with suppress(ProcessLookupError):
                    os.kill(pid, number)
            signalled |= left
            # Not before each of them got the signal: on a busy machine the time may be over before the first one does.
            if not new and time.monotonic() >= deadline:
                break
            time.sleep(0.02)


def main(parent: int, argv: Sequence[str]) -> int:
    with suppress(PermissionError):     # this process already leads a process group
        os.setsid()
    # A blocked signal remains pending until sigwait(). The program must not inherit the mask.
    handled = {*STOPS, signal.SIGCHLD, INTERRUPT}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, handled)
    signal_at_end_of(parent, signal.SIGTERM)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    supervisor = os.getpid()

    def prepare() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        # kunit.py ends its guest only at SIGINT.
        signal_at_end_of(supervisor, signal.SIGINT)

    try:
        program = subprocess.Popen(argv, preexec_fn=prepare)
    except OSError as error:
        print(f'{argv[0]}: {error.strerror}', file=sys.stderr)
        return 127
    while True:
        number = signal.sigwait(handled)
        if number == INTERRUPT:
            program.send_signal(signal.SIGINT)
            continue
        if number != signal.SIGCHLD:
            status = 128 + number
            break
        ended = _reap()
        if program.pid in ended:
            code = os.waitstatus_to_exitcode(ended[program.pid])
            status = code if code >= 0 else 128 - code
            break
    _end_descendants()
    return status


if __name__ == '__main__':
    sys.exit(main(int(sys.argv[1]), sys.argv[2:]))
