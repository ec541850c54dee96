# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2: without its FIRST a message is dropped; the next one arrives."""
from scenario import REMOTE, data

CASES = {"SEND": "SEND", "WRITE": "WRITE"}


def run(t, kind):
    t.connect(transport="UC")
    t.post_recv()
    t.send(f"UC_{kind}_MIDDLE", 1, payload=data(256))
    t.send(f"UC_{kind}_LAST", 2, payload=data(10))
    t.expect_dropped("sequence", 2)
    t.expect_no_completion()
    t.expect_memory(REMOTE, t.read_memory(REMOTE, 600))
    t.expect_next(3, receive=False)
