# SPDX-License-Identifier: GPL-2.0
"""The exception for everything that prevents a run."""


class Trouble(Exception):
    """The command cannot run (exit status 2): what is wrong, and the remedy as something that can be typed.

    `details` are lines to print above: a failing hunk, the output of the compiler.
    """

    def __init__(self, reason: str, remedy: str, details: str = ''):
        super().__init__(f'{reason}; {remedy}')
        self.details = details
