# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2.2: MIDDLE and LAST of another operation end a message; the next one arrives."""
from scenario import LANDING, REMOTE, data

CASES = {
    "SEND then WRITE_MIDDLE": ("SEND", "WRITE_MIDDLE", 256),
    "SEND then WRITE_LAST": ("SEND", "WRITE_LAST", 8),
    "SEND then WRITE_LAST_IMM": ("SEND", "WRITE_LAST_IMM", 8),
    "WRITE then SEND_MIDDLE": ("WRITE", "SEND_MIDDLE", 256),
    "WRITE then SEND_LAST_IMM": ("WRITE", "SEND_LAST_IMM", 8),
}


def run(t, case):
    kind, second, length = case
    t.connect(transport="UC")
    t.post_recv(1000)
    fields = {"reth": t.reth(REMOTE, 600)} if kind == "WRITE" else {}
    t.send(f"UC_{kind}_FIRST", 0, payload=data(256), **fields)
    t.send(f"UC_{second}", 1, payload=data(length, 2))
    t.expect_memory(LANDING if kind == "SEND" else REMOTE, data(256))
    t.expect_dropped("refused")
    t.send(f"UC_{kind}_LAST", 2, payload=data(8, 3))
    t.expect_dropped("sequence")
    t.expect_next(3, receive=False)
