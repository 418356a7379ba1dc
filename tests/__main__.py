# SPDX-License-Identifier: GPL-2.0
"""All commands: `python3 -m tests run --arch x86_64` is `make run ARCH=x86_64`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path[0] = str(Path(__file__).resolve().parent)

from host import exit_status
from host import lists
from host.shard import Shard

FIXES = Path(__file__).resolve().parents[1] / 'mm/series/fixes'
# Commands that parse their own arguments.
PROGRAMS = {
    'called': ('project.called', 'compare the functions that batched functions call in a kernel tree with tests/project/called.txt'),
    'callers': ('project.callers', 'compare the functions that get batches in a kernel tree with tests/project/callers.csv'),
    'reports': ('project.reports', 'compare the error messages of a kernel tree with lib/kernel/reports.h'),
    'tables': ('figures.tables', 'tables of one or more bench.json'),
    'series': ('figures.of_series', 'tables of the records of our series'),
    'score': ('figures.score', 'the score of records of make mutation, and the mutants that survive'),
    'plots': ('figures.plots', 'plots of a bench.json'),
    'verdicts': ('commands.verdicts', 'the verdicts in folders of results, sorted'),
    'screenshot': ('figures.browser', 'the first screen of a page of make report as SVG'),
    'packages': ('host.packages', 'the packages that make run needs, by architecture and distribution'),
    'kcidb': ('results.kcidb', 'the results of make run as a report for KCIDB'),
    'bench-tools': ('figures.bench_tools', 'measure how long make run takes'),
}


def parser() -> argparse.ArgumentParser:
    """The commands, with an option for each variable; without the option, the environment's value remains."""
    top = argparse.ArgumentParser(prog='python3 -m tests', description='KUnit suites for batched page table entries')
    commands = top.add_subparsers(metavar='COMMAND', required=True)
    for name, (module, text) in lists.COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(command=name, module=module)
        for variable, meaning in lists.VARIABLES.items():
            command.add_argument(f'--{variable.lower()}', dest=variable, metavar=variable, help=meaning.replace('%', '%%'))
    for name, (_, text) in PROGRAMS.items():
        commands.add_parser(name, help=text, add_help=False)
    return top


def _run(module: str, argument: Sequence[str] | Mapping[str, str]) -> int:
    """Call main() of a module: of a program with its arguments, of a command with the environment."""
    status: int = importlib.import_module(module).main(argument)
    return status


def _part(command: str, module: str, env: Mapping[str, str]) -> int:
    """Run a command, or its part that SHARD= selects, which has ended only if it has results."""
    if not Shard.read(env).name:
        return _run(module, env)
    shards = importlib.import_module('results.shards')
    part = shards.begin(command, env)
    status = _run(module, env)
    if status != exit_status.COULD_NOT_RUN:
        shards.end(part, env)
    return status


def main(args: list[str]) -> int:
    """Put the options into the environment, where commands read them, and run the command's module."""
    if args and args[0] in PROGRAMS:
        return exit_status.ended(lambda: _run(PROGRAMS[args[0]][0], args[1:]))
    options = vars(parser().parse_args(args))
    command, module = options.pop('command'), options.pop('module')
    os.environ.update({name: value for name, value in options.items() if value is not None})
    if not os.environ.get('KSRC') and FIXES.exists():   # as the Makefile
        os.environ.setdefault('FIXES', str(FIXES))
    return exit_status.ended(lambda: _part(command, module, os.environ))


if __name__ == '__main__':
    sys.exit(main(sys.argv[1:]))
