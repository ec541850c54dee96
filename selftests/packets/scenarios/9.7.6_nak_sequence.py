# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.6: a sequence NAK: everything from its PSN on goes again at once."""
from scenario import SOURCE, data


def run(t):
    t.connect()
    posted = [t.post("SEND", data(8, psn), offset=SOURCE + 8 * psn) for psn in range(3)]
    for psn in range(3):
        t.expect_request("SEND_ONLY", psn)
    t.nak("SEQUENCE", 1, msn=1)
    t.expect_sent(wr_id=posted[0])
    for psn in (1, 2):
        t.expect_request("SEND_ONLY", psn, payload=data(8, psn))
    t.ack(2, msn=3)
    t.expect_sent(wr_id=posted[1])
    t.expect_sent(wr_id=posted[2])
    t.expect_counters(nak_sequence_rcvd=1, resent_pkts=2)
