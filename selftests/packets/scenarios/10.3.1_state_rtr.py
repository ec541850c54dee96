# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1, 11.6.3.1: in RTR requests are executed; the first one raises COMM_EST."""
from scenario import LANDING, data


def run(t):
    t.connect(state="RTR")
    t.post_recv(100)
    t.send("SEND_ONLY", 0, payload=data(8))
    t.expect_ack(0, msn=1)
    t.expect_event("COMM_EST")
    t.expect_memory(LANDING, data(8))
    t.expect_recv(byte_len=8)
    t.send("READ_REQUEST", 1, reth=t.reth(0, 8))
    t.expect_read(1, t.read_memory(0, 8), msn=2)
    t.modify("RTS")
    t.expect_alive(2, msn=3)
