# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5, end-to-end flow control: soro has none and says so: credit code 0x1f."""


def run(t):
    t.connect()
    t.post_recv()
    t.send("WRITE_ONLY", 0, reth=(0, 0, 0))
    packet = t.expect_ack(0, msn=1)
    if packet.syndrome != 0x1f:
        t.fail(f"syndrome 0x{packet.syndrome:02x}")
