# SPDX-License-Identifier: GPL-2.0
"""`make test`: what it says at the end of the checks that failed."""

from __future__ import annotations

import pytest

from unit.machine import Machine
from commands import check
from results.report import Counts

OUTPUT = """[12:51:49] [FAILED] second
[12:51:49] =================== [FAILED] two_threads ===================
[12:51:49] [PASSED] third
[FAILED] a case failed in round 2
again by  make run SEED=7
results   build/um/: results.json
"""


def test_failures_are_summed_up(machine: Machine, capsys: pytest.CaptureFixture[str]) -> None:
    made = check.Check(machine.env())
    made.run_check('style', 'passes', lambda: '')
    made.run_check('style', 'fails', lambda: 'file:1\nwrong\n')
    log = made.folder / 'um.log'
    made.run_cases('suites', 'um', ['sh', '-c', f'echo "{OUTPUT}"; exit 1'], {}, lambda: Counts(passed=2))
    assert log.read_text().startswith(OUTPUT)
    assert OUTPUT.strip() in capsys.readouterr().out
    assert made.failed == ['[FAILED] style fails\n    wrong',
                           '[FAILED] suites um (exit status 1)\n'
                           '    [FAILED] second\n    [FAILED] a case failed in round 2\n    again by  make run SEED=7']
    assert made.counts == {'passed': 3, 'failed': 2, 'skipped': 0}
