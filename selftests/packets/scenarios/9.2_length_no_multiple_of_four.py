# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: payload and pad are a multiple of four bytes long."""
from scenario import data

CASES = {"1": 1, "2": 2, "3": 3}


def run(t, extra):
    t.connect()
    t.post_recv()
    t.send("SEND_ONLY", 0, payload=data(4 + extra), pad=0, pad_bytes=b"")
    t.expect_dropped("pad")
    t.expect_alive(0, msn=1)
