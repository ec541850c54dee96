# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2, 9.6.1: more pad than there are bytes between headers and ICRC."""

CASES = {"1": 1, "2": 2, "3": 3}


def run(t, pad):
    t.connect()
    t.post_recv()
    t.send("SEND_ONLY", 0, payload=b"", pad=pad)
    t.expect_dropped("pad")
    t.expect_alive(0, msn=1)
