# SPDX-License-Identifier: GPL-2.0
"""A network that delivers twice: a UC message is taken once, in silence. IBA 9.8.2."""
from scenario import LANDING, REMOTE, data


def run(t):
    t.connect(transport="UC")
    t.post_recv(100)
    t.post_recv(100, LANDING + 100)
    for _ in range(3):
        t.send("UC_SEND_ONLY", 0, payload=data(8))
    t.expect_message_taken(data(8), LANDING)
    t.expect_dropped("stale", 2)
    t.send("UC_WRITE_ONLY", 1, payload=data(8, 2), reth=t.reth(REMOTE, 8))
    t.expect_memory(REMOTE, data(8, 2))
    t.write_memory(REMOTE, data(8, 3))
    t.send("UC_WRITE_ONLY", 1, payload=data(8, 2), reth=t.reth(REMOTE, 8))
    t.expect_dropped("stale")
    t.expect_no_completion()
