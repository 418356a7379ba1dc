# SPDX-License-Identifier: GPL-2.0
"""Chromium without a window, for the pages of make report: python3 -m tests screenshot build/report.html picture.svg"""

from __future__ import annotations

import base64
import importlib
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from host import exit_status
from host import packages
from host import tools
from host.console import Console
from host.errors import Trouble

# As root, and in a container; no requests of the browser itself.
ARGUMENTS = ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking',
             '--no-first-run', '--hide-scrollbars')
WIDTH, HEIGHT, INCH = 1200, 900, 96     # pixels
DIGITS = re.compile(r'(\d+\.\d\d)\d+')


@contextmanager
def opened() -> Iterator[Any]:
    """A driver of Selenium, with a profile of its own."""
    webdriver: Any = importlib.import_module('selenium.webdriver')
    service: Any = importlib.import_module('selenium.webdriver.chrome.service')
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        options = webdriver.ChromeOptions()
        for argument in (*ARGUMENTS, f'--user-data-dir={profile}'):
            options.add_argument(argument)
        driver = webdriver.Chrome(options=options, service=service.Service('chromedriver'))
        try:
            yield driver
        finally:
            driver.quit()


def screenshot(page: Path, picture: Path, height: int = HEIGHT) -> None:
    """The first screen of a page as SVG, with text as outlines."""
    with opened() as driver, tempfile.TemporaryDirectory() as folder:
        driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'media': 'screen'})
        driver.get(page.resolve().as_uri())
        printed = driver.execute_cdp_cmd('Page.printToPDF', {
            'printBackground': True, 'paperWidth': WIDTH / INCH, 'paperHeight': height / INCH, 'pageRanges': '1',
            **dict.fromkeys(('marginTop', 'marginBottom', 'marginLeft', 'marginRight'), 0)})
        paper = Path(folder) / 'page.pdf'
        paper.write_bytes(base64.b64decode(printed['data']))
        tools.run(['pdftocairo', '-svg', paper, paper.with_suffix('.svg')])
        text = paper.with_suffix('.svg').read_text()
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(DIGITS.sub(r'\1', text))


def main(args: Sequence[str]) -> int:
    """Write the picture of a page."""
    if len(args) != 2 or not Path(args[0]).is_file():
        raise Trouble('screenshot: expected a page and the file of its picture',
                      'type python3 -m tests screenshot build/report.html report.svg')
    packages.ensure([packages.SELENIUM, packages.CHROMIUM, packages.POPPLER], Console())
    packages.go_on_with([packages.SELENIUM], 'screenshot', *args)
    screenshot(Path(args[0]), Path(args[1]))
    return exit_status.PASSED
