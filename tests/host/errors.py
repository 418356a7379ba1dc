# SPDX-License-Identifier: GPL-2.0
"""The one way in which the tools give up."""


class Trouble(Exception):
    """The suites cannot run (exit status 2): why, and what to do about it.

    `details` are lines worth seeing before that: a failing hunk, what the compiler said.
    """

    def __init__(self, reason: str, remedy: str, details: str = ''):
        super().__init__(f'{reason}; {remedy}')
        self.details = details
