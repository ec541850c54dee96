# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: READ data that nobody asked for: dropped, idle or while a SEND is under way."""
from scenario import data


def run(t):
    t.connect()
    t.respond(0, data(8))
    t.expect_dropped("stale")
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.respond(0, data(8, 2))
    t.respond(1, data(8, 2))
    t.expect_dropped("stale", 2)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
