# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2: SENDs and WRITEs of each length arrive, and nothing answers."""
from scenario import LANDING, REMOTE, data

CASES = {f"{kind} of {length}": (kind, length)
         for kind in ("SEND", "WRITE") for length in (0, 1, 255, 256, 257, 1000)}


def run(t, case):
    kind, length = case
    t.connect(transport="UC")
    if kind == "SEND":
        t.post_recv(2000)
    n = t.send_message(kind, 0, data(length), offset=REMOTE + 3)
    if kind == "SEND":
        t.expect_message_taken(data(length), LANDING)
    else:
        t.expect_memory(REMOTE + 3, data(length))
    t.expect_silence()
    t.expect_next(n)
