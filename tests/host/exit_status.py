# SPDX-License-Identifier: GPL-2.0
"""The exit status of a command."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from host.errors import Trouble
from host import supervise
from host import tools

PASSED, FAILED, COULD_NOT_RUN, SLOWER = 0, 1, 2, 3


def _stop(number: int, _: FrameType | None) -> NoReturn:
    """Exit through the cleanup once: make and the terminal may both send a signal."""
    for each in supervise.STOPS:
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)


def _end_on_signal() -> None:
    """Exit at a signal, and when the parent ends: a killed make cannot send one."""
    for each in supervise.STOPS:
        # A background job ignores SIGINT, nohup ignores SIGHUP: leave that as it is.
        if each == signal.SIGTERM or signal.getsignal(each) != signal.SIG_IGN:
            signal.signal(each, _stop)
    supervise.signal_at_end_of(int(os.environ.pop('PTEBATCH_PARENT', os.getppid())), signal.SIGTERM)


def ended(work: Callable[[], int]) -> int:
    """Run a command and return its exit status; print why it could not run."""
    _end_on_signal()
    try:
        return work()
    except OSError as error:
        if error.errno == errno.ENOSPC:
            trouble = tools.disk_full(error.filename or 'while writing')
        else:
            trouble = Trouble(str(error), 'check that file and its permissions')
    except Trouble as caught:
        trouble = caught
    except Exception:   # Python would exit with status 1, which means that a case failed
        trouble = Trouble('internal error', 'report the lines above as a bug of ptebatch', traceback.format_exc())
    if trouble.details:
        print(trouble.details.rstrip())
    print(f'ptebatch: {trouble}', file=sys.stderr)
    return COULD_NOT_RUN
