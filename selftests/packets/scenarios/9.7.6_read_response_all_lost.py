# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: nothing comes: the whole READ is asked for again."""
from scenario import SOURCE, TIMEOUT, data


def run(t):
    t.connect(timeout=TIMEOUT)
    wr = t.post("READ", length=600, remote=(0x10000, 0x55))
    for _ in range(2):
        t.expect_request("READ_REQUEST", 0, reth=(0x10000, 0x55, 600))
    t.respond(0, data(600))
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, data(600))
    t.expect_counters(local_ack_timeout_err=1, resent_pkts=1)
