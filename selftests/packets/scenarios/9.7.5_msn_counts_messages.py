# SPDX-License-Identifier: GPL-2.0
"""IBA C9-148: the MSN counts messages: SENDs, WRITEs and READs, not packets, not duplicates."""
from scenario import LANDING, data


def run(t):
    t.connect()
    t.post_recv(1024)
    t.send_message("WRITE", 0, data(600), offset=0)
    t.expect_ack(2, msn=1)
    t.expect_memory(0, data(600))
    t.send_message("SEND", 3, data(300))
    t.expect_ack(4, msn=2)
    t.expect_memory(LANDING, data(300))
    t.expect_recv(byte_len=300)
    t.send("READ_REQUEST", 5, reth=t.reth(8192, 600))
    t.expect_read(5, t.read_memory(8192, 600), msn=3)
    t.send("WRITE_ONLY", 5, reth=(0, 0, 0))
    t.expect_ack(7, msn=3)
    t.expect_counters(duplicate_request=1)
    t.expect_alive(8, msn=4)
