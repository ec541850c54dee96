# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: no answer to an atomic: after the timeout the same request goes again."""
from scenario import SOURCE, TIMEOUT


def run(t):
    t.connect(timeout=TIMEOUT)
    wr = t.post("FETCH_ADD", length=8, remote=(0x7000, 0x99), compare_add=5)
    first = t.expect_request("FETCH_ADD", 0)
    again = t.expect_request("FETCH_ADD", 0)
    if first.atomic != again.atomic:
        t.fail("another request")
    t.answer_atomic(0, 77)
    t.expect_sent(wr_id=wr)
    t.expect_memory(SOURCE, (77).to_bytes(8, "little"))
    t.expect_counters(local_ack_timeout_err=1, resent_pkts=1)
