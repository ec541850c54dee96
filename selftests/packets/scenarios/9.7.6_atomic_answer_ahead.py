# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.2: the answer to the second atomic before that of the first: both again."""
from scenario import SOURCE


def run(t):
    t.connect()
    posted = [t.post("FETCH_ADD", length=8, offset=SOURCE + 8 * i, remote=(0x7000, 0x99))
              for i in range(2)]
    t.expect_request("FETCH_ADD", 0)
    t.expect_request("FETCH_ADD", 1)
    t.answer_atomic(1, 78)
    t.expect_request("FETCH_ADD", 0)
    t.expect_request("FETCH_ADD", 1)
    for psn, wr in enumerate(posted):
        t.answer_atomic(psn, 77 + psn)
        t.expect_sent(wr_id=wr)
        t.expect_memory(SOURCE + 8 * psn, (77 + psn).to_bytes(8, "little"))
    t.expect_counters(implied_nak_seq_err=1, resent_pkts=2)
