# SPDX-License-Identifier: GPL-2.0
"""IBA 10.6.5.1: LOCAL_INV waits for all that was sent before it."""
import qp
from scenario import data


def run(t):
    t.connect()
    window = t.window()
    t.post("SEND", data(8), flags=0)
    t.expect_request("SEND_ONLY", 0, payload=data(8))
    wr = t.post("LOCAL_INV", imm=window.key)
    packet = t.next_packet(0.05)
    if packet is not None:
        t.compare("what is sent again", (packet.name, packet.psn, packet.ackreq),
                  ("SEND_ONLY", t.psn_of(0, True), 1))
        t.expect_counters(resent_pkts=1)
    t.expect_no_completion()
    t.send("WRITE_ONLY", 0, payload=data(64), reth=t.reth(100, 64, key=window.key))
    t.expect_ack(0, msn=1)
    t.expect_memory(100, data(64))
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr, opcode="LOCAL_INV")
    t.send("WRITE_ONLY", 1, payload=data(8), reth=t.reth(0, 8, key=window.key))
    t.expect_fatal("ACCESS", 1, "QP_ACCESS_ERR", msn=1)
