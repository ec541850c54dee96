# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.7.7.2: an ACK carries the largest credit code that promises no more than the receives
that are posted; there is no doorbell for them, what counts is the moment of the ACK.
"""
import craft

CASES = {f"code {code}": code for code in range(21)}


def run(t, code):
    t.connect(recv_wr=craft.CREDITS[20] + 1)
    for n in range(2):
        while t.receives < craft.CREDITS[code] - 1 + n:
            t.post_recv(0)
        t.send("WRITE_ONLY", n, reth=(0, 0, 0))
        t.expect_ack(n, msn=n + 1, credits=code if n or not code else code - 1)
