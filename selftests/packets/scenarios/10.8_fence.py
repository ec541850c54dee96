# SPDX-License-Identifier: GPL-2.0
"""IBA 10.8: a fenced SEND is not sent before the READs ahead of it have their data."""
import qp
from scenario import SOURCE, data


def run(t):
    t.connect()
    read = t.post("READ", length=8, remote=(0x1000, 0x55))
    send = t.post("SEND", data(8, 3), offset=SOURCE + 100, flags=qp.SIGNALED | qp.FENCE)
    t.expect_request("READ_REQUEST", 0)
    t.expect_silence()
    t.respond(0, data(8))
    t.expect_sent(wr_id=read)
    t.expect_memory(SOURCE, data(8))
    t.expect_request("SEND_ONLY", 1, payload=data(8, 3))
    t.ack(1, msn=2)
    t.expect_sent(wr_id=send)
