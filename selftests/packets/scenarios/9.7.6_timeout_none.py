# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6.1.3: timeout 0 is none: nothing goes again by itself."""
from scenario import data


def run(t):
    t.connect(timeout=0)
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    t.expect_silence(0.1)
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
