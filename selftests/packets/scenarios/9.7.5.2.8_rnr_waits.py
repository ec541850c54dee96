# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8, table 45: after an RNR NAK the request goes again, not before its timer ends."""
import time

from scenario import data

CASES = {"2.56 ms": (16, 2.56), "10.24 ms": (20, 10.24), "40.96 ms": (24, 40.96)}


def run(t, case):
    code, milliseconds = case
    t.connect()
    wr = t.post("SEND", data(8))
    t.expect_request("SEND_ONLY", 0)
    began = time.monotonic()
    t.rnr(0, code)
    t.expect_request("SEND_ONLY", 0, payload=data(8), ackreq=1)
    took = 1000 * (time.monotonic() - began)
    if took < milliseconds:
        t.fail(f"sent again after {took:.2f} ms")
    t.ack(0, msn=1)
    t.expect_sent(wr_id=wr)
    t.expect_counters(rnr_nak_rcvd=1, resent_pkts=1)
