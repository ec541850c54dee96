# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: a fatal NAK for a packet in the middle ends its message."""
from scenario import data


def run(t):
    t.connect()
    wr = t.post("WRITE", data(1000), remote=(0, 1))
    t.expect_message("WRITE", 0, data(1000), reth=(0, 1, 1000))
    t.nak("ACCESS", 2)
    t.expect_sent("REM_ACCESS_ERR", wr_id=wr)
    t.expect_state("ERR")
    t.expect_counters(nak_access_rcvd=1)
