# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.2.2: the LAST is lost: the next FIRST or ONLY begins anew, in the same receive."""
from scenario import LANDING, data

CASES = {"then ONLY": 20, "then FIRST": 400}


def run(t, length):
    t.connect(transport="UC")
    recv = t.post_recv(1000)
    t.send("UC_SEND_FIRST", 0, payload=data(256))
    t.send("UC_SEND_MIDDLE", 1, payload=data(256))
    t.expect_memory(LANDING, data(256) * 2)
    t.send_message("SEND", 3, data(length, 9))
    t.expect_message_taken(data(length, 9), LANDING, wr_id=recv)
