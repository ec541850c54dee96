# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2, 9.4: FIRST and MIDDLE are full, thus never padded."""
from scenario import LANDING, data

CASES = {"FIRST": "FIRST", "MIDDLE": "MIDDLE"}


def run(t, position):
    t.connect()
    t.post_recv()
    if position == "MIDDLE":
        t.send("SEND_FIRST", 0, payload=data(256), ackreq=1)
        t.expect_ack(0)
        t.expect_memory(LANDING, data(256))
    psn = 1 if position == "MIDDLE" else 0
    t.send(f"SEND_{position}", psn, payload=data(253))
    t.expect_dropped("pad")
