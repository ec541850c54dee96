# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.5: no receive is posted: the message is dropped, the next one arrives."""
from scenario import data

CASES = {"ONLY": 8, "three packets": 600}


def run(t, length):
    t.connect(transport="UC")
    n = t.send_message("SEND", 0, data(length))
    t.expect_dropped("no_recv")
    if n > 1:
        t.expect_counters(drop_sequence=n - 1)
    t.expect_next(n)
