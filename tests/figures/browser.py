# SPDX-License-Identifier: GPL-2.0
"""Chromium without a window, for the pages of make report: python3 -m tests screenshot build/report.html picture.svg"""

from __future__ import annotations

import importlib
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from host import exit_status
from host import packages
from host.console import Console
from host.errors import Trouble

# As root, and in a container; no requests of the browser itself.
ARGUMENTS = ('--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking',
             '--no-first-run', '--hide-scrollbars')
BLANK = re.compile(r'\s*\n\s*')
WIDTH, HEIGHT = 1200, 900   # pixels
# What the first screen shows of a page, as XHTML.
SEEN = '''
const hidden = [...document.body.querySelectorAll('*')].filter(each => each.closest('script') ||
	each.getBoundingClientRect().top >= innerHeight || each.checkVisibility && !each.checkVisibility());
hidden.forEach(each => each.remove());
return [new XMLSerializer().serializeToString(document.body), document.querySelector('style').textContent];
'''


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


def screenshot(page: Path, picture: Path) -> None:
    """The first screen of a page as SVG: the elements that Chromium shows, and their style."""
    with opened() as driver:
        driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride',
                               {'width': WIDTH, 'height': HEIGHT, 'deviceScaleFactor': 1, 'mobile': False})
        driver.get(page.resolve().as_uri())
        body, style = driver.execute_script(SEEN)
    picture.parent.mkdir(parents=True, exist_ok=True)
    picture.write_text(f'''<!-- SPDX-License-Identifier: GPL-2.0 -->
<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" viewBox="0 0 {WIDTH} {HEIGHT}">
<style>{escape(style)} body {{ height: {HEIGHT}px; overflow: hidden; }}</style>
<foreignObject width="{WIDTH}" height="{HEIGHT}">
{BLANK.sub(chr(10), body)}
</foreignObject>
</svg>
''')


def main(args: Sequence[str]) -> int:
    """Write the picture of a page."""
    if len(args) != 2 or not Path(args[0]).is_file():
        raise Trouble('screenshot: expected a page and the file of its picture',
                      'type python3 -m tests screenshot build/report.html report.svg')
    packages.ensure([packages.SELENIUM, packages.CHROMIUM], Console())
    packages.go_on_with([packages.SELENIUM], 'screenshot', *args)
    screenshot(Path(args[0]), Path(args[1]))
    return exit_status.PASSED
