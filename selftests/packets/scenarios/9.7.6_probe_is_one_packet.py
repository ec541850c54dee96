# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: a probe is the oldest packet that is not acknowledged, and no other."""
from scenario import data


def run(t):
    t.connect(timeout=22)
    wr = t.post("SEND", data(1000))
    t.expect_message("SEND", 0, data(1000))
    t.ack(1)
    t.expect_probes("SEND_MIDDLE", 2, lambda: t.ack(3, msn=1), payload=data(1000)[512:768],
                    ackreq=1)
    t.expect_sent(wr_id=wr)
