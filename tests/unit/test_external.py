# SPDX-License-Identifier: GPL-2.0
"""The module that is built outside of the kernel tree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from host import tools
from trees import external


@pytest.mark.parametrize('module, config, kept', [(2, 1, True), (1, 2, False), (None, 1, False), (2, None, True)])
def test_objects_of_another_configuration_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                                      module: int | None, config: int | None, kept: bool) -> None:
    output, kdir = tmp_path / 'output', tmp_path / 'kernel'
    for path, time in ((output / 'ptebatch_kunit.ko', module), (kdir / 'include/generated/autoconf.h', config)):
        path.parent.mkdir(parents=True)
        if time:
            path.touch()
            os.utime(path, (time, time))
    (output / 'build.o').touch()
    monkeypatch.setattr(tools, 'run', lambda *args, **kwargs: None)
    assert external.build(tmp_path, output, kdir, tmp_path, []) == output / 'ptebatch_kunit.ko'
    assert (output / 'build.o').exists() == kept
