# SPDX-License-Identifier: GPL-2.0
"""IBA 9.2: three pad bytes of four leave one byte; never are all of them pad."""
from scenario import LANDING


def run(t):
    t.connect()
    t.post_recv(100)
    t.send("SEND_ONLY", 0, payload=b"x\0\0\0", pad=3)
    t.expect_ack(0, msn=1)
    t.expect_memory(LANDING, b"x")
    t.expect_recv(byte_len=1)
