# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.2: retry_cnt timeouts and one more: RETRY_EXC_ERR, the rest is flushed, QP in error."""
from scenario import data

CASES = {"0": 0, "1": 1, "3": 3}


def run(t, retries):
    t.connect(timeout=12, retry_cnt=retries)
    first, second = t.post("SEND", data(8)), t.post("SEND", data(8, 2))
    t.expect_sent("RETRY_EXC_ERR", wr_id=first)
    t.expect_sent("WR_FLUSH_ERR", wr_id=second)
    t.expect_state("ERR")
    packets = []
    while True:
        packet = t.next_packet(0.01)
        if not packet:
            break
        packets.append(packet.psn - t.sq_psn)
    if packets.count(0) != 1 + retries:
        t.fail(f"PSNs sent: {packets}")
    t.expect_counters(local_ack_timeout_err=retries + 1, retry_exceeded_err=1,
                      resent_pkts=len(packets) - len(set(packets)))
