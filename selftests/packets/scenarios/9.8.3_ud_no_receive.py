# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.3: no receive is posted: the datagram is dropped, the next one arrives."""
from scenario import data


def run(t):
    t.connect(transport="UD")
    for i in range(3):
        t.send("UD_SEND_ONLY", i, payload=data(8))
    t.expect_dropped("no_recv", 3)
    t.expect_next(3)
