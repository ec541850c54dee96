# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.5.2.2: the SEND behind a READ is acknowledged, the READ's data did not come:
it is lost, and asked for again. The ACK does not stand for the data.
"""
from scenario import SOURCE, data


def run(t):
    t.connect()
    read = t.post("READ", length=8, remote=(0x1000, 0x55))
    send = t.post("SEND", data(8), offset=SOURCE + 100)
    t.expect_request("READ_REQUEST", 0)
    t.expect_request("SEND_ONLY", 1)
    t.ack(1, msn=2)
    t.expect_request("READ_REQUEST", 0, reth=(0x1000, 0x55, 8))
    t.expect_request("SEND_ONLY", 1)
    t.expect_no_completion()
    t.respond(0, data(8))
    t.expect_sent(wr_id=read)
    t.ack(1, msn=2)
    t.expect_sent(wr_id=send)
    t.expect_memory(SOURCE, data(8))
    t.expect_counters(implied_nak_seq_err=1, resent_pkts=2)
