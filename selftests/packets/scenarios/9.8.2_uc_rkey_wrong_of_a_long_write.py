# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.3: of a long WRITE with a bad R_Key nothing is written."""
from scenario import data


def run(t):
    t.connect(transport="UC")
    t.send_message("WRITE", 0, data(700), key=t.key ^ 1)
    t.expect_dropped("refused")
    t.expect_counters(drop_sequence=2)
    t.expect_next(3)
