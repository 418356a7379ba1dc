# SPDX-License-Identifier: GPL-2.0
"""Facts in the KTAP output, and the suites that print them."""

from __future__ import annotations

import re

from host.settings import PROJECT
from results import interleavings
from results.facts import Fact, facts
from results.pairs import matrix

KTAP = '''\
KTAP version 1
1..2
    KTAP version 1
    # Subtest: ptebatch_a_random
    1..1
    # a_random: random seed=7 rounds=100
    # a_random: expected {Wdyx*16}
    # a_random: random failed seed=9
    not ok 1 a_random
not ok 1 ptebatch_a_random
    KTAP version 1
    # Subtest: ptebatch_model
    1..1
        KTAP version 1
        # Subtest: model
    # model: combinations tried=2 total=9
        ok 1 first
    ok 1 model
    # ptebatch_model: combinations tried=5 total=9 op=to no access
    # ptebatch_model: time set-up=20 call=30 check=50
    # ptebatch_model: combinations tried=5 tot
'''


def test_facts_have_suite_and_case() -> None:
    assert [*facts(KTAP, 'random')] == [Fact('ptebatch_a_random', 'a_random', 'seed=7 rounds=100')]
    assert [*facts(KTAP, 'random failed', 'seed')] == [Fact('ptebatch_a_random', 'a_random', 'seed=9')]
    [so_far, at_end] = facts(KTAP, 'combinations', 'tried', 'total')
    assert (so_far.suite, so_far.case, so_far.words) == ('ptebatch_model', 'model', {'tried': '2', 'total': '9'})
    assert (at_end.suite, at_end.case) == ('ptebatch_model', 'ptebatch_model')


def test_pairs_become_a_matrix() -> None:
    assert not matrix(KTAP)
    text = matrix('''\
    # Subtest: ptebatch_sequences
    # random: pairs tried=+-. after=write, shmem, order 0
    # random: pairs tried=+++ after=mprotect ro, shmem, order 0
    # random: pairs tried=... after=ksm, shmem, order 0
    # random: pairs impossible=ksm, shmem, order 0: it is shared
    # random: pairs tried=++. after=write, anonymous, PMD
    # random: pairs of steps tried=7 total=8
''')
    assert text.splitlines()[3:] == [
        'shmem, order 0:', '  1 write          +-.', '  2 mprotect ro    +++', '  3 ksm            ...', '    ksm: it is shared', '',
        'anonymous, PMD:', '  1 write          ++.']


def test_last_value_may_contain_blanks() -> None:
    [fact] = facts(KTAP, 'combinations', 'op')
    assert fact.words == {'tried': '5', 'total': '9', 'op': 'to no access'}
    [fact] = facts(KTAP, 'time')
    assert [*fact.words.values()] == ['20', '30', '50']


def test_suites_print_what_the_tools_read() -> None:
    sources = '\n'.join(path.read_text() for folder in ('lib', 'mm') for path in sorted((PROJECT / folder).rglob('*.c')))
    printed = set(re.findall(r'kunit_(?:info|err)\(\w+, "([a-z ]+ [\w-]+=.*)\\n"', sources))
    assert printed >= {'random seed=%llu rounds=%u', 'random failed seed=%llu', 'combinations tried=%llu total=%llu',
                       'combinations tried=%llu total=%llu op=%s', 'pairs of steps tried=%u total=%u', 'pairs tried=%s after=%s, %s',
                       'pairs impossible=%s, %s: %s', 'time set-up=%llu call=%llu check=%llu'}


def test_interleavings_become_a_matrix() -> None:
    assert not interleavings.matrix(KTAP)
    text = interleavings.matrix('''\
    # Subtest: ptebatch_interleavings
        # calls_random: interleaved points=21 first=migrate second=migrate row=64K folio error=
        # calls_random: interleaved points=7 first=migrate second=write 2 row=64K folio error=
        # calls_random: interleaved points=0 first=hole second=migrate row=64K folio error=there is no file
        # calls_random: interleaved points=0 first=hole second=write 2 row=64K folio error=there is no file
        # calls_random: interleaved points=100 first=migrate second=write 2 row=64K folio error=
''')
    assert text.splitlines()[2:] == ['', '1 hole, 2 migrate, 3 write 2', '', '64K folio:', '  1 hole                      -     -',
                                     '  2 migrate                  21   107', '    -: there is no file']


def test_interleavings_of_parts_are_one_matrix() -> None:
    parts = ['    # Subtest: ptebatch_interleavings\n'
             f'        # calls_random: interleaved points={points} first={first} second={second} row=PMD error=\n'
             for first, second, points in (('split', 'dontneed', 3), ('dontneed', 'split', 4), ('dontneed', 'migrate', 0))]
    assert interleavings.matrix(''.join(parts[:1])).splitlines()[-1] == '  2 split               3'
    lines = interleavings.matrix(''.join(parts)).splitlines()
    assert lines[3:] == ['1 dontneed, 2 migrate, 3 split', '', 'PMD:', '  1 dontneed                  0     4', '  3 split               3']
