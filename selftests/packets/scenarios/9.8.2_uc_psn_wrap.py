# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.1, 9.8.2: PSNs wrap inside a message and between two."""
from scenario import LANDING, data


def run(t):
    t.connect(transport="UC", rq_psn=0xfffffe)
    t.post_recv(2000)
    t.send_message("SEND", 0, data(1000))
    t.expect_message_taken(data(1000), LANDING)
    t.expect_next(4)
    t.send("UC_SEND_ONLY", 0, payload=data(8))
    t.expect_dropped("stale")
