# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.2: a FIRST or ONLY at the expected PSN inside a message: it begins a new one."""
from scenario import LANDING, REMOTE, data

CASES = {"SEND_ONLY": "SEND", "WRITE_ONLY": "WRITE"}


def run(t, kind):
    t.connect(transport="UC")
    recv = t.post_recv(1000)
    t.send("UC_SEND_FIRST", 0, payload=data(256))
    t.expect_memory(LANDING, data(256))
    t.send_message(kind, 1, data(30, 2), offset=REMOTE)
    if kind == "SEND":
        t.expect_message_taken(data(30, 2), LANDING, wr_id=recv)
        t.expect_next(2)
    else:
        t.expect_memory(REMOTE, data(30, 2))
        t.expect_no_completion()
        t.expect_next(2, receive=False)
