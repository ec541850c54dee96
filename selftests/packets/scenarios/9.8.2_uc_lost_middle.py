# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2: a MIDDLE is lost: the rest is dropped, and its receive serves the next message."""
from scenario import LANDING, REMOTE, data

CASES = {"SEND": "SEND", "WRITE": "WRITE"}


def run(t, kind):
    t.connect(transport="UC")
    t.post_recv(2000)
    fields = {"reth": t.reth(REMOTE, 1024)} if kind == "WRITE" else {}
    t.send(f"UC_{kind}_FIRST", 0, payload=data(256), **fields)
    t.send(f"UC_{kind}_MIDDLE", 2, payload=data(256, 2))
    t.send(f"UC_{kind}_LAST", 3, payload=data(256, 3))
    t.expect_dropped("sequence", 2)
    t.expect_memory(LANDING if kind == "SEND" else REMOTE, data(256))
    t.expect_no_completion()
    t.expect_next(4, receive=False)
