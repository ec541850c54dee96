# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.2: an ACK is no answer to an atomic: it is asked for again."""
from scenario import SOURCE


def run(t):
    t.connect()
    wr = t.post("FETCH_ADD", length=8, remote=(0x7000, 0x99), compare_add=5)
    t.expect_request("FETCH_ADD", 0)
    t.ack(0, msn=1)
    t.expect_request("FETCH_ADD", 0)
    t.expect_no_completion()
    t.answer_atomic(0, 77)
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, (77).to_bytes(8, "little"))
    t.expect_counters(implied_nak_seq_err=1, resent_pkts=1)
