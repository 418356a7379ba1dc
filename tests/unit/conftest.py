# SPDX-License-Identifier: GPL-2.0
"""Fixtures of all tests. Imports start at tests/, as in tests/__main__.py."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from host.console import Console
from host.settings import Settings
from trees import source
from unit.machine import Machine


@pytest.fixture(scope='session')
def kernel_source() -> Path:
    """Source of the real kernel, used for its kunit.py."""
    return source.fetched(Settings.read(os.environ).cache / 'source', Console())


@pytest.fixture
def machine(tmp_path: Path, kernel_source: Path) -> Machine:
    return Machine(tmp_path, kernel_source)
