# SPDX-License-Identifier: GPL-2.0
"""`make report` in Chromium: a passing, a failing and a compared run, and a page of 5,000 cases."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from figures import browser
from figures import page
from host.settings import PROJECT
from mutation.record import KILLED, SURVIVED, Verdict, save
from results import coverage
from unit import reports
from unit.machine import Machine
from unit.test_report_page import Drawn, spelled

STATES = ('passing', 'failing', 'compared')
CASES, SUITES = 5000, 50
SECOND = 1000   # ms
SIZE = 200_000  # bytes of a screenshot
PHONE, A4 = 390, 718    # pixels; A4 without its margins

# Of each visible text: contrast with what is behind it, and the least that WCAG AA wants of its size.
CONTRAST = '''
const parse = text => (text.match(/[\\d.]+/g) || []).map(Number);
const light = ([r, g, b]) => [r, g, b].map(c => c / 255).map(c => c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4)
	.reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0);
const behind = element => {
	for (; element; element = element.parentElement) {
		const colour = parse(getComputedStyle(element).backgroundColor);
		if (colour.length === 3 || colour[3] > 0)
			return colour;
	}
	return matchMedia('(prefers-color-scheme: dark)').matches ? [0, 0, 0] : [255, 255, 255];
};
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
	const element = walker.currentNode.parentElement;
	if (!walker.currentNode.data.trim() || !element.getClientRects().length || element.closest('script, style'))
		continue;
	const style = getComputedStyle(element);
	const size = parseFloat(style.fontSize), bold = style.fontWeight >= 700;
	const [a, b] = [parse(element.closest('svg') ? style.fill : style.color), behind(element)].map(light).sort((a, b) => b - a);
	const least = size >= 24 || bold && size >= 18.66 ? 3 : 4.5;
	found.push([(a + .05) / (b + .05), least, walker.currentNode.data.trim().slice(0, 40), element.outerHTML.slice(0, 120)]);
}
return found;
'''
STRUCTURE = '''
const all = selector => [...document.querySelectorAll(selector)];
const names = all('[id]').map(each => each.id);
return {
	twice: names.filter((name, i) => names.indexOf(name) !== i),
	landmarks: ['header', 'nav', 'main', 'footer'].map(name => all(name).length),
	headings: all('h1, h2, h3').map(each => +each.tagName[1]),
	tables: all('table').filter(each => !each.querySelector('th[scope=col]') || !each.querySelector('tbody th[scope=row]')).length,
	links: all('a[href^="#"]').map(each => each.getAttribute('href').slice(1)).filter(name => !names.includes(name)),
	labels: all('[aria-labelledby], [aria-controls]').map(each => each.getAttribute('aria-labelledby') || each.getAttribute('aria-controls'))
		.filter(name => !names.includes(name)),
	summaries: all('details').filter(each => each.firstElementChild.tagName !== 'SUMMARY').length,
	inputs: all('input, select').filter(each => !each.labels.length).length,
	pictures: all('[role=img]').filter(each => !each.getAttribute('aria-label')).length,
	language: document.documentElement.lang, title: document.title,
	requests: performance.getEntriesByType('resource').map(each => each.name),
};
'''


@pytest.fixture(scope='module')
def driver() -> Iterator[Any]:
    with browser.opened() as found:
        yield found


@pytest.fixture(scope='module')
def pages(tmp_path_factory: pytest.TempPathFactory, kernel_source: Path) -> dict[str, Path]:
    """The page of each state, and one of many cases."""
    machine = Machine(tmp_path_factory.mktemp('machine'), kernel_source)
    found = {}
    for name in STATES:
        folder = machine.out / name
        if name == 'compared':
            reports.compared(machine, folder)
        else:
            reports.run(machine, reports.PASSING, folder)
        if name == 'failing':
            reports.run(machine, reports.FAILING, folder)
            (folder / 'um/mutation').mkdir()
            function = coverage.Function('mm/a.c: f()', {1: 'if (a)', 2: '\tb();'}, {1: 3, 2: 0})
            (folder / 'um/coverage.md').write_text(coverage.text([function]) + '\n')
            save(folder / 'um/mutation/mutation.json', [Verdict('one', 'mm/a.c: f()', 1, KILLED, 'case'),
                                                        Verdict('two', 'mm/a.c: f()', 2, SURVIVED, '', '-\tb();')])
        ended = machine.run('report', O=str(folder))
        assert ended.returncode == 0, ended.stderr
        found[name] = folder / 'report.html'
    each = CASES // SUITES
    # Every 50th case fails, with its rows.
    reports.run(machine, reports.ktap(*((f'ptebatch_{suite}', 'row', [
        ('not ok', f'case {case}', reports.BY_RULES) if not case % 50 else ('ok', f'case {case}: 64K folio, all entries', '')
        for case in range(each)]) for suite in range(SUITES))), machine.out / 'many')
    page.write(machine.out / 'many', machine.out / 'many/report.html', None, [], [])
    return found | {'many': machine.out / 'many/report.html'}


def show(driver: Any, path: Path, width: int = 1280, scheme: str = 'light', media: str = '') -> None:
    """Load a page on a screen of that width."""
    driver.execute_cdp_cmd('Emulation.setDeviceMetricsOverride',
                           {'width': width, 'height': 900, 'deviceScaleFactor': 1, 'mobile': width == PHONE})
    driver.execute_cdp_cmd('Emulation.setEmulatedMedia',
                           {'media': media, 'features': [{'name': 'prefers-color-scheme', 'value': scheme}]})
    driver.get(path.as_uri())


def unfold(driver: Any) -> None:
    driver.execute_script("document.querySelectorAll('details').forEach(each => each.open = true);"
                          "document.querySelectorAll('button').forEach(each => each.click());")


def focused(driver: Any) -> Any:
    return driver.switch_to.active_element


def press(driver: Any, *keys: str) -> None:
    for key in keys:
        focused(driver).send_keys(key)


TAB, ENTER, ESCAPE = '\ue004', '\ue007', '\ue00c'


@pytest.mark.parametrize('name', (*STATES, 'many'))
def test_structure_console_and_network(driver: Any, pages: dict[str, Path], name: str) -> None:
    show(driver, pages[name])
    unfold(driver)
    found = driver.execute_script(STRUCTURE)
    assert found['landmarks'] == [1, 1, 1, 1] and found['language'] == 'en' and found['title'].endswith(': ptebatch')
    assert found['headings'].count(1) == 1 and found['headings'][0] == 1
    assert all(below - above <= 1 for above, below in zip(found['headings'], found['headings'][1:]))
    wrong = {key: found[key] for key in ('twice', 'tables', 'links', 'labels', 'summaries', 'inputs', 'pictures', 'requests')}
    assert wrong == {'twice': [], 'tables': 0, 'links': [], 'labels': [], 'summaries': 0, 'inputs': 0, 'pictures': 0, 'requests': []}
    assert driver.get_log('browser') == []


@pytest.mark.parametrize('scheme', ['light', 'dark'])
@pytest.mark.parametrize('name', STATES)
def test_contrast(driver: Any, pages: dict[str, Path], name: str, scheme: str) -> None:
    show(driver, pages[name], scheme=scheme)
    unfold(driver)
    found = driver.execute_script(CONTRAST)
    assert len(found) > 50
    assert [each for each in found if each[0] < each[1]] == []
    ground = driver.execute_script('return getComputedStyle(document.body).backgroundColor')
    assert (ground == 'rgb(255, 255, 255)') == (scheme == 'light')


def test_first_screen_says_what_failed(driver: Any, pages: dict[str, Path]) -> None:
    show(driver, pages['failing'])
    assert driver.find_element('css selector', 'h1').text == '2 cases fail, 2 new ptebatch'
    seen = driver.execute_script('''return [...document.querySelectorAll('.runs, .failure > summary, .strips')]
        .map(each => each.getBoundingClientRect().top < innerHeight)''')
    assert seen[:4] == [True] * 4     # the runs, the first failure with its rows, the second
    assert 'gcc' in driver.find_element('css selector', '.runs').text
    show(driver, pages['passing'])
    assert driver.find_element('css selector', 'h1').text == 'all cases pass ptebatch'
    assert not driver.find_elements('css selector', '#failures')


@pytest.mark.parametrize('name', ['failing', 'compared'])
def test_pictures_are_those_of_ktap(driver: Any, pages: dict[str, Path], name: str) -> None:
    show(driver, pages[name])
    ktap = next(pages[name].parent.glob('**/results.ktap' if name == 'failing' else 'after/**/results.ktap')).read_text()
    shown = driver.execute_script("return [...document.querySelectorAll('.strips')].map(each => each.outerHTML)")
    assert len(shown) == 2
    for markup, rows in zip(shown, (reports.ROWS, reports.MARKED)):
        assert all(f'# mprotect_row: {label:<9}{picture}\n' in ktap for label, picture in rows.items())
        assert Drawn(markup).rows == {label: spelled(picture) for label, picture in rows.items()}


def test_borders_are_drawn(driver: Any, pages: dict[str, Path]) -> None:
    show(driver, pages['failing'])
    style = '''const cell = document.querySelector(arguments[0]), style = getComputedStyle(cell, arguments[1] || null);
        return [style.borderLeftWidth, style.borderRightWidth, style.borderTopStyle, style.borderLeftColor];'''
    ink = driver.execute_script('return getComputedStyle(document.body).color')
    assert driver.execute_script(style, '.band b.f.a') == ['2px', '0px', 'solid', ink]
    assert driver.execute_script(style, '.band b.f.z')[:2] == ['0px', '2px']
    assert driver.execute_script(style, '.band b.f:not(.a, .z)')[:2] == ['0px', '0px']
    assert driver.execute_script(style, '.band b.p')[2] == 'double' and driver.execute_script(style, '.band b.s')[2] == 'dashed'
    assert driver.execute_script(style, '.band b.v', '::before')[0] == '4px'
    widths = driver.execute_script('''return [...document.querySelectorAll('.strips:first-of-type .band b:not(.w)')]
        .map(each => each.getBoundingClientRect().width)''')
    assert len({*widths}) == 1      # one cell an entry


def test_keyboard(driver: Any, pages: dict[str, Path]) -> None:
    show(driver, pages['failing'])
    press(driver, TAB)
    assert focused(driver).text == 'Skip to the results'
    for _ in range(60):     # Tab reaches the second failure
        press(driver, TAB)
        if focused(driver).tag_name == 'summary' and 'second' in focused(driver).text:
            break
    failure = focused(driver).find_element('xpath', '..')
    assert failure.get_attribute('open')
    press(driver, ENTER)
    assert not failure.get_attribute('open')
    press(driver, '/')
    assert focused(driver).get_attribute('id') == 'words'
    press(driver, *'rmap new')
    assert driver.find_element('css selector', '#found').text == '1 case'
    rows = driver.find_elements('css selector', '.of:not([hidden]) tr:not([hidden])')
    assert [row.find_element('css selector', 'th').text for row in rows] == ['rmap_row new']
    assert not failure.is_displayed()
    press(driver, ESCAPE)
    assert failure.is_displayed() and not driver.find_elements('css selector', '.of:not([hidden])')
    for _ in range(10):     # Tab reaches the suites behind the filter
        press(driver, TAB)
        if focused(driver).tag_name == 'button':
            break
    assert focused(driver).get_attribute('aria-expanded') == 'false'
    press(driver, ENTER)
    assert focused(driver).get_attribute('aria-expanded') == 'true'
    assert len(driver.find_elements('css selector', '.of:not([hidden]) tr')) == 3


def test_filter_by_verdict(driver: Any, pages: dict[str, Path]) -> None:
    show(driver, pages['failing'])
    for state, number in (('fail', 2), ('skip', 1), ('changed', 4), ('pass', 2), ('', 0)):
        driver.execute_script('''const state = document.getElementById('state'); state.value = arguments[0];
            state.dispatchEvent(new Event('input', { bubbles: true }));''', state)
        assert len(driver.find_elements('css selector', '.of:not([hidden]) tr:not([hidden])')) == number, state


def test_mark_of_a_plot_leads_to_the_functions(driver: Any, pages: dict[str, Path]) -> None:
    show(driver, pages['compared'])
    driver.execute_script("document.querySelector('.bench').open = true")
    figure = driver.find_element('css selector', '#bench-0-1')
    assert not figure.get_attribute('open')
    driver.execute_script('''document.querySelector('svg a[*|href="#bench-0-1"]')
        .dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))''')
    assert figure.get_attribute('open') and 'change_protection' in figure.text


@pytest.mark.parametrize('width, media', [(PHONE, ''), (A4, 'print')])
@pytest.mark.parametrize('name', STATES)
def test_narrow(driver: Any, pages: dict[str, Path], name: str, width: int, media: str) -> None:
    show(driver, pages[name], width, media=media)
    unfold(driver)
    assert driver.execute_script('return document.documentElement.scrollWidth') <= width
    wide = driver.execute_script('''return [...document.querySelectorAll('.strips .row')]
        .filter(each => each.getBoundingClientRect().right > innerWidth).length''')
    assert wide == 0


def test_print(driver: Any, pages: dict[str, Path]) -> None:
    show(driver, pages['failing'], media='print', scheme='dark')
    assert driver.execute_script('return getComputedStyle(document.body).backgroundColor') == 'rgb(255, 255, 255)'
    assert not driver.find_element('css selector', 'nav').is_displayed()
    assert driver.find_element('css selector', '.strips').is_displayed()
    paper = base64.b64decode(driver.execute_cdp_cmd('Page.printToPDF', {})['data'])
    assert paper.startswith(b'%PDF') and len(paper) > 10_000


def test_thousands_of_cases_open_in_a_second(driver: Any, pages: dict[str, Path]) -> None:
    times = []
    for _ in range(3):      # the machine may be busy: the best of three
        show(driver, pages['many'])
        times.append(driver.execute_script('return performance.timing.loadEventEnd - performance.timing.navigationStart'))
    assert driver.execute_script("return document.querySelectorAll('.of tr').length") == CASES
    assert min(times) < SECOND, times
    press(driver, '/')
    took = driver.execute_script('''const words = document.getElementById('words'), begun = performance.now();
        words.value = 'ptebatch_7 case'; words.dispatchEvent(new Event('input', { bubbles: true }));
        document.body.getBoundingClientRect(); return performance.now() - begun;''')
    assert driver.find_element('css selector', '#found').text == f'{CASES // SUITES} cases' and took < SECOND


@pytest.mark.parametrize('scheme', ['light', 'dark'])
def test_screenshot(driver: Any, pages: dict[str, Path], tmp_path: Path, scheme: str) -> None:
    picture = tmp_path / 'page.svg'
    assert browser.main([str(pages['failing']), str(picture)]) == 0
    show(driver, picture, browser.WIDTH, scheme)
    assert 'FAIL new second' in driver.find_element('css selector', 'body').text and 'Notation' in picture.read_text()
    same = f'''return [...document.querySelectorAll('h1, .band b')].map(each => each.getBoundingClientRect())
        .filter(each => each.top < {browser.HEIGHT}).map(each => [each.left, each.top, each.width])'''
    places = driver.execute_script(same)
    show(driver, pages['failing'], browser.WIDTH, scheme)
    assert places == driver.execute_script(same) and len(places) > 50
    assert picture.stat().st_size < SIZE


def test_recorded_screenshots() -> None:
    recorded = sorted((PROJECT / 'tests/figures/report').glob('*.svg'))
    assert [path.stem for path in recorded] == sorted(STATES)
    assert all(path.stat().st_size < SIZE for path in recorded)
