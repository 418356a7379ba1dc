# SPDX-License-Identifier: GPL-2.0
"""`make report`: the page as text. The pictures are read back from the elements that draw them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

from commands import report
from figures import page
from figures import pairs
from figures.strips import strips
from host.errors import Trouble
from host.settings import PROJECT
from mutation.record import KILLED, SURVIVED, Verdict, save
from results import coverage
from results import pictures
from results import runs
from results.pictures import Format, Picture
from unit import reports
from unit.machine import Machine

TABLE = 512
ROWS = 2200     # different ones in mm/*.c, at least
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
# In mm/workbench.c: a string that is no row, and where the kernel's parser finds the error.
REFUSED = re.compile(r'{ "([^"]*)", \d+, "')
# The notation, read without results/pictures.py: what is before an entry, in its braces, and the entry.
TOKENS = re.compile(r'[|;]|[~\d+]*[{(\[]|[})\]]|\.(?:\*\d+)?|[~\d+]*!?[-WRNMSUPGHCDE?][a-z]*(?:=\d+)?(?:\*\d+)?')
EM = re.compile(r'([|;]*)([~\d+]*)((?:\.(?:\*\d+)?)?)(!?)')
Entry = tuple[str, ...]     # limits, marks, dots, "!", brace, "opens", kind and flags, page, "closes", dots


def number(found: re.Match[str]) -> str:
    return str(TABLE // int(found[1] or 1) - int(found[2] or 0))


def spelled(picture: str) -> list[Entry]:
    """Each entry of a picture, in full."""
    text = re.sub(r'T(?:/(\d+))?(?:-(\d+))?', number, re.sub(r'^\s*@\S+', '', picture))
    text = re.sub(r'\[(!?[A-Z?][a-z]*)\]', rf'[\1*{TABLE}]', text)
    text = re.sub(r'([~\d+]*[{(\[][^})\]]*[})\]])\*(\d+)', lambda found: ' '.join([found[1]] * int(found[2])), text)
    assert not TOKENS.sub('', text).strip(), picture
    entries: list[list[str]] = []
    limits = marks = brace = dots = ''
    opened = False
    for token in TOKENS.findall(text):
        if token in '|;':
            limits += token
        elif token[-1] in '{([':
            marks, brace, opened = token[:-1], token[-1], True
        elif token in '})]':
            entries[-1][8:] = ['closes', dots]
            brace = dots = ''
        elif token[0] == '.':
            dots = token if token != '.*0' else ''
        else:
            mark, differs, entry, page_, count = re.fullmatch(r'([~\d+]*)(!?)([^=*]*)((?:=\d+)?)(?:\*(\d+))?', token).groups('')  # type: ignore[union-attr]
            for copy in range(int(count or 1)):
                first = not copy
                entries.append([limits * first, marks * (opened and first) if brace else mark, dots * first, differs, brace,
                                'opens' * (opened and first), entry, page_ * first, '', ''])
            if count != '0':
                limits, opened, dots = '', False, ''
    return [tuple(entry) for entry in entries] + ([('end', limits)] if limits else [])


class Drawn(HTMLParser):
    """The rows that a page draws, by label, each entry as in spelled()."""

    def __init__(self, markup: str):
        super().__init__()
        self.rows: dict[str, list[Entry]] = {}
        self.stack: list[tuple[str, list[str]]] = []
        self.label = ''
        self.texts: dict[str, str] = {}
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.stack.append((tag, (dict(attrs).get('class') or '').split()))
        if tag == 'b':
            self.texts = {}
        elif tag == 'p':
            self.label = ''

    def handle_endtag(self, tag: str) -> None:
        _, names = self.stack.pop()
        if tag == 'b':
            self.rows.setdefault(self.label, []).extend(self.entries({*names}))

    def handle_data(self, data: str) -> None:
        tags = [tag for tag, _ in self.stack]
        if tags[-2:] == ['p', 'span'] and 'row' in self.stack[-2][1]:
            self.label = data.strip()
        elif 'b' in tags:
            self.texts[tags[-1]] = self.texts.get(tags[-1], '') + data
        elif tags[-1:] == ['q']:
            self.rows[self.label].append(('end', data))

    def entries(self, names: set[str]) -> Iterator[Entry]:
        """What the classes, by which the style draws, and the letters of a cell say."""
        marks = EM.fullmatch(self.texts.get('em', ''))
        assert marks
        limits, mark, dots, differs = marks.groups()
        assert ('x' in names) == bool(differs) and ('v' in names) == (';' in limits) and ('l' in names) == ('|' in limits)
        flags, equals, page_ = self.texts.get('i', '').partition('=')
        brace = next((brace for name, brace in zip('fsp', '{([') if name in names), '')
        count = int(self.texts.get('small', '×1')[1:])
        kind = self.texts['b']
        assert {'-': 'O', '?': 'Q'}.get(kind, kind) in names
        for copy in range(count):
            first, last = not copy, copy == count - 1
            yield (limits * first, mark if first or not brace else '', dots * first, differs, brace,
                   'opens' * bool(brace and first and 'a' in names), kind + flags, (equals + page_) * first,
                   'closes' * bool(brace and last and 'z' in names), self.texts.get('s', '') * last)


def drawn(*texts: str, form: Format = Format()) -> list[list[Entry]]:
    """Pictures, drawn together, and read back."""
    shown = [Picture(f'row {number}', text, pictures.parse(text, form)) for number, text in enumerate(texts)]
    return list(Drawn(strips(shown, form)).rows.values())


def is_row(text: str) -> bool:
    """Only tokens, all braces closed."""
    body = re.sub(r'(?<=\*)T(?:/\d+)?(?:-\d+)?', '1', re.sub(r'^\s*@-?\S+ ', '', text))
    body = re.sub(r'(?<=[})\]])\*\d+', '', body)
    return bool(re.search('[A-Z?-]', body)) and not TOKENS.sub('', body).strip() and not re.search(
        r'^[^{]*}|{[^}]*$|\[[^]]*$|\([^)]*$', body)


def rows_of_suites() -> list[str]:
    """All strings that are rows, in all tables."""
    text = '\n'.join(path.read_text() for path in sorted((PROJECT / 'mm').glob('*.c')))
    refused = REFUSED.findall(text)
    joined = re.sub(r'"\s*"', '', text.replace('" PTEBATCH_NONE_YOUNG "', 'y'))
    return sorted({row for row in STRING.findall(joined) if is_row(row)} - {*refused})


def test_every_picture_of_the_suites_reads_back() -> None:
    rows = rows_of_suites()
    assert len(rows) > ROWS
    assert [text for text in rows if drawn(text) != [spelled(text)]] == []
    # Long equal runs are drawn as one cell alone, and in full beside a row that changes everywhere.
    long = [text for text in rows if 16 < pictures.parse(text).nr <= TABLE]
    assert [text for text in long if drawn(text, 'R W ' * (TABLE // 2))[0] != spelled(text)] == []


@pytest.mark.parametrize('rows', [reports.ROWS, reports.MARKED])
def test_failing_rows_read_back(rows: dict[str, str]) -> None:
    texts = list(rows.values())
    assert drawn(*texts) == [spelled(text) for text in texts]


def test_a_changed_letter_is_another_picture() -> None:
    assert drawn('{Wdyx*16}') != [spelled('{Wdyx*15 Rdyx}')] and drawn('{Wdy*8} {Wdy*8}') != [spelled('{Wdy*16}')]


def test_page_table_of_the_architecture() -> None:
    assert Format.of('s390', 4096).table == 256 and Format.of('powerpc', 65536).table == 32
    assert Format.of('arm64', 4096) == Format(512, 16) and Format.of('arm64', 16384) == Format(2048, 128)
    assert pictures.parse('[Wdyx]', Format(256)).nr == 256 and pictures.parse('-*T/2-8', Format(256)).nr == 120


def test_contpte_blocks_are_those_of_the_page_table() -> None:
    form = Format.of('arm64', 4096)
    shown = [Picture('got', text := '@8 {Wdyx*32}', pictures.parse(text, form))]
    blocks = re.findall(r'<p class="(cont[^"]*)"><span>([^<]*)', strips(shown, form))
    # Entries 8 to 15 end block 0, and 32 to 39 begin block 2.
    assert blocks == [('cont z', 'contpte block 0'), ('cont a z', 'contpte block 1'), ('cont a', 'contpte block 2')]
    assert 'contpte' not in strips(shown, Format())


def test_cut_picture_is_drawn_as_far_as_it_goes() -> None:
    assert drawn('{Wdyx*8 Rdy*4 Wd ...')[0][:12] == spelled('{Wdyx*8 Rdy*4}')[:11] + [('', '', '', '', '{', '', 'Rdy', '', '', '')]


@pytest.mark.parametrize('text', ['', '{Wdyx*16', 'Wdyx}', '{Wdyx]', '{}', '{.*4}', '{{W}}', 'Wdyx hello', 'entries 8 to 15'])
def test_no_picture(text: str) -> None:
    with pytest.raises(ValueError):
        pictures.parse(text)


def written(folder: Path, against: Path | None = None) -> str:
    page.write(folder, folder / 'report.html', against, [], [])
    return (folder / 'report.html').read_text()


def test_failing_run(machine: Machine) -> None:
    reports.run(machine, reports.PASSING, machine.out)
    reports.run(machine, reports.FAILING, machine.out)
    ended = machine.run('report')
    assert ended.returncode == 0 and ended.stdout.endswith('out/report.html\n'), ended.stderr
    text = (machine.out / 'report.html').read_text()
    assert '<title>2 cases fail: ptebatch</title>' in text and '2 new</span>' in text
    assert text.index('id="failures"') < text.index('id="cases"')
    # The drawn rows are those of the KTAP output.
    ktap = (machine.out / 'um/results.ktap').read_text()
    for strips, rows in zip(re.findall('<div class="strips".*', text), (reports.ROWS, reports.MARKED)):
        assert all(f'# mprotect_row: {label:<9}{picture}\n' in ktap for label, picture in rows.items())
        assert Drawn(strips).rows == {label: spelled(picture) for label, picture in rows.items()}
    assert text.count('class="strips"') == 2
    facts = json.loads((machine.out / 'um/run.json').read_text())
    assert facts['compiler'] in text and facts['kernel'] in text and facts['qemu'] == ''
    assert f'make run ARCH=um KSRC={machine.tree} SUITES=ptebatch_mprotect.mprotect_row' in text
    assert 'expected <small>twin</small>' in text and 'um: no swap' in text
    for change in ('<b>new</b>: 1', '<b>gone</b>: 1'):
        assert change in text
    assert not re.search(r'(?:src|href)="(?!#|data:)', text) and 'url(http' not in text and '@import' not in text


def test_again_the_same_is_not_new(machine: Machine) -> None:
    for _ in range(2):
        reports.run(machine, reports.FAILING, machine.out)
    assert runs.read(machine.out)[0].changes == {}
    assert 'class="tag"' not in written(machine.out)


def test_a_run_that_cannot_build_keeps_the_verdicts_of_the_last_one(machine: Machine) -> None:
    reports.run(machine, reports.PASSING, machine.out)
    makefile = (machine.tree / 'Makefile').read_text()
    (machine.tree / 'Makefile').write_text(makefile.replace('all:\n', 'all:\n\t@false\n'))
    for _ in range(2):
        assert machine.run().returncode == 2
    assert not (machine.out / 'um/run.json').exists()
    (machine.tree / 'Makefile').write_text(makefile)
    reports.run(machine, reports.FAILING, machine.out)
    assert len([change for change in runs.read(machine.out)[0].changes.values() if change == runs.NEW_FAILED]) == 2


def test_other_suites_then_say_nothing_of_gone_cases(machine: Machine) -> None:
    reports.run(machine, reports.PASSING, machine.out)
    reports.run(machine, reports.FAILING, machine.out)
    previous = machine.out / 'um/previous/run.json'
    previous.write_text(previous.read_text().replace('"suites": ""', '"suites": "ptebatch_rmap"'))
    assert runs.GONE not in runs.read(machine.out)[0].changes.values()


def test_against_another_folder(machine: Machine) -> None:
    reports.run(machine, reports.FAILING, machine.out.parent / 'last')
    reports.run(machine, reports.PASSING, machine.out)
    ended = machine.run('report', AGAINST=str(machine.out.parent / 'last'))
    assert ended.returncode == 0
    assert '<b>passes now</b>: 2' in (machine.out / 'report.html').read_text()
    assert machine.run('report', AGAINST='/no/such').returncode == 2


def test_compared(machine: Machine) -> None:
    reports.compared(machine, machine.out)
    assert machine.run('report').returncode == 0
    text = (machine.out / 'report.html').read_text()
    assert f'ptebatch_mprotect: mprotect_row: {reports.NAME}: pass before, fail after' in text
    assert 'mprotect ro-rw, order 0: 50.0 before, 60.0 after (+20.0 %)' in text
    assert 'against the kernel without the series' in text
    assert re.search(r'<a tabindex="-1" xlink:href="#bench-0-0"', text) and 'id="bench-0-0"' in text
    assert re.search(r'\| change_protection +\| +49\.5 \| +59\.5 \| +\+10\.0 \|', text)


def test_folder_of_one_run_without_run_json(machine: Machine) -> None:
    reports.run(machine, reports.FAILING, machine.out)
    (machine.out / 'um/run.json').unlink()
    for name in ('boot.log', 'results.txt', 'results.ktap'):
        (machine.out / 'um' / name).unlink()
    text = written(machine.out / 'um')
    assert 'unknown: the results have no run.json' in text and '2 cases fail' in text and 'again by' not in text
    assert text.count('class="strips"') == 1    # kunit.py loses what the first row prints


@pytest.mark.parametrize('content', ['', '{', '[]', '{"a": 1}'])
def test_unusable_results(tmp_path: Path, content: str) -> None:
    (tmp_path / 'um').mkdir()
    for name in ('results.json', 'results.junit.xml', 'run.json'):
        (tmp_path / 'um' / name).write_text(content)
    assert 'FAILED' in written(tmp_path)


def test_nothing(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match='no results; type make run'):
        written(tmp_path)
    assert not (tmp_path / 'report.html').exists()


def test_names_what_is_missing(tmp_path: Path) -> None:
    reports.bench(500).save(tmp_path / 'um/bench.json')
    text = written(tmp_path)
    assert '<kbd>make run</kbd>' in text and '<kbd>make mutation</kbd>' in text and '<kbd>make bench</kbd>' not in text


def test_text_of_cases_is_escaped(machine: Machine) -> None:
    bad = '<script>alert(1)</script> & "quoted"'
    text = reports.failure('mprotect_row', '<b>call()', f'wrong {bad}', reports.ROWS, bad)
    reports.run(machine, reports.ktap(('ptebatch_x', 'row', [('not ok', bad, text)])), machine.out)
    shown = written(machine.out)
    assert bad not in shown and '&lt;script&gt;alert(1)&lt;/script&gt; &amp; &#34;quoted&#34;' in shown


def test_errors_outside_of_cases(machine: Machine) -> None:
    reports.run(machine, reports.PASSING + 'WARNING: CPU: 0 PID: 1 at mm/memory.c:1 zap()\n', machine.out)
    text = written(machine.out)
    assert 'kernel errors outside of cases' in text and 'the kernel warned: WARNING: CPU: 0 PID: 1 at mm/memory.c:1' in text


def test_coverage_and_mutation_by_function(tmp_path: Path) -> None:
    functions = [coverage.Function('mm/a.c: f()', {1: 'if (a)', 2: '\tb();'}, {1: 3, 2: 0}),
                 coverage.Function('mm/a.c: g()', {9: 'c();'}, {9: 1})]
    (tmp_path / 'um/mutation').mkdir(parents=True)
    (tmp_path / 'um/coverage.md').write_text(coverage.text(functions) + '\n')
    assert list(coverage.read_text(coverage.text(functions))) == [('mm/a.c: f()', 2, 1, ['mm/a.c:2:\tb();']),
                                                                  ('mm/a.c: g()', 1, 1, [])]
    save(tmp_path / 'um/mutation/mutation.json', [
        Verdict('one', 'mm/a.c: f()', 1, KILLED, 'case'), Verdict('two', 'mm/a.c: f()', 2, SURVIVED, '', '-\tb();\n+\t;')])
    text = written(tmp_path)
    assert '1 of 2</td>' in text and 'mm/a.c:2:\tb();' in text and 'line 2, survived' in text and '-\tb();\n+\t;' in text


def test_plots_have_their_own_ids() -> None:
    tables = pairs.of_one('bench-0', reports.bench(500))
    svg = pairs.plot('mprotect', tables['mprotect'], 'instructions')
    ids = re.findall(r' id="([^"]+)"', svg)
    assert ids and all(name.startswith('bench-0-0-') for name in ids) and len(ids) == len({*ids})
    assert '<style' not in svg and not re.search('#0[0-9]0[0-9]0[0-9]', svg) and 'var(--second)' in svg


def test_main_needs_results(tmp_path: Path) -> None:
    with pytest.raises(Trouble, match='no results'):
        report.main({'O': str(tmp_path)})
