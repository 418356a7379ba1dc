# SPDX-License-Identifier: GPL-2.0
"""The figures of five mails to linux-mm, measured as time on hardware; the benches repeat the measurements."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Change:
    """A cost before and after a change."""

    before: float
    after: float

    @property
    def ratio(self) -> float:
        """The speed-up by the change."""
        return self.before / self.after


@dataclass(frozen=True)
class Write:
    """The average time of writing to an area, in ns, by the operation before the write."""

    first: float
    second: float
    ro_rw: float
    soft_dirty: float


# Dev Jain, "[PATCH v4 0/4] Optimize mprotect() for large folios", with the figures of June 30, 2025.
# Apple M3: seconds for 40 times mprotect() of 1 GiB to read-only and back, by folio order.
S1 = {9: Change(7.9, 2.1), 4: Change(7.9, 2.2), 0: Change(4.2, 4.3)}

# Dev Jain, "[PATCH v4 00/12] Optimize anonymous large folio unmapping", May 26, 2026.
# A VM on an Apple M3, and an x86 without a VM: ns for MADV_PAGEOUT of 256 MiB in 64K folios. 4K folios: no regression.
S2 = {'arm64': Change(37401913, 17420282), 'x86_64': Change(54986286, 51930795)}

# Luke Yang, "[REGRESSION] mm/mprotect: 2x+ slowdown for >=400KiB regions since PTE batching (cac1db8c3aad)",
# February 13, 2026. AMD EPYC Zen3: ns per mprotect() call, by kernel and KiB.
S3_BEFORE, S3_AFTER, S3_REVERTED = 'v6.16', 'v6.17-rc1', 'v6.17-rc1 with cac1db8c3aad reverted'
S3 = {
    S3_BEFORE: {4: 1713, 40: 2071, 400: 3453, 4000: 18804, 40000: 172613, 400000: 1699301, 4000000: 17021882,
                40000000: 169677478},
    S3_AFTER: {4: 1775, 40: 2362, 400: 5993, 4000: 44116, 40000: 427731, 400000: 4252714, 4000000: 42512805,
               40000000: 424995500},
    S3_REVERTED: {4: 1750, 40: 2126, 400: 3800, 4000: 22227, 40000: 205446, 400000: 2011634, 4000000: 20144468,
                  40000000: 200764472},
}

# David Hildenbrand, "[PATCH v1 mmotm] mm/mprotect: try avoiding write faults for exclusive anonynmous pages when
# changing protection", April 1, 2022. Ryzen 9 3900X: by kind of write and size of the area in KiB.
S4 = {
    ('memset', 4): Write(770, 158, 177, 454), ('byte', 4): Write(732, 129, 146, 416),
    ('memset', 16): Write(1986, 249, 281, 1232), ('byte', 16): Write(1855, 132, 153, 1085),
    ('memset', 64): Write(7068, 614, 715, 4367), ('byte', 64): Write(6637, 145, 184, 3759),
    ('memset', 512): Write(55544, 5106, 5710, 34610), ('byte', 512): Write(51353, 1090, 675, 29521),
}

# SeongJae Park, "[PATCH 0/4] mm/madvise: remove redundant mmap_lock operations from process_madvise()",
# February 6, 2025. ns for MADV_DONTNEED of 256 MiB in ranges of 4 KiB, by ranges per process_madvise() call;
# 0: one madvise() call per range.
S5 = {
    0: Change(146294215.2, 121280536.2), 1: Change(165851018.8, 136305598.2), 2: Change(129469321.2, 103740383.6),
    4: Change(110369232.4, 87835896.2), 8: Change(102906232.4, 77420920.2), 16: Change(97551017.4, 74959714.4),
    32: Change(94809848.2, 71200848.4), 64: Change(96087575.6, 72593180), 128: Change(96154163.8, 68517055.4),
    256: Change(92901257.6, 69054216.6), 512: Change(93646170.8, 67053296.2), 1024: Change(92663219.2, 70168196.8),
}
