# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.3: WRITEs beyond a region: dropped whole and in silence."""
from scenario import SMALL, SMALL_BYTES, data

CASES = {
    "1 beyond": (SMALL + SMALL_BYTES - 7, 8), "1 before": (SMALL - 1, 8),
    "longer than it": (SMALL, SMALL_BYTES + 1),
}


def run(t, case):
    offset, length = case
    t.connect(transport="UC", pmtu=1024)
    t.send_message("WRITE", 0, data(length), offset=offset, key=t.lab.small.key)
    t.expect_dropped("refused")
    t.expect_next(1)
