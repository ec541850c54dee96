# SPDX-License-Identifier: GPL-2.0
"""IBA 10.8: an unsignalled SEND completes in silence; the signalled one behind it tells."""
from scenario import data


def run(t):
    t.connect()
    t.post("SEND", data(8), flags=0)
    t.expect_request("SEND_ONLY", 0)
    t.ack(0, msn=1)
    t.expect_silence()
    t.expect_no_completion()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 1)
    t.ack(1, msn=2)
    t.expect_sent(wr_id=wr)
