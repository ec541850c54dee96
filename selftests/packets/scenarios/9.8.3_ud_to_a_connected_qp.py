# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: a datagram to an RC or UC QP is dropped, and that QP goes on."""
from scenario import data

CASES = {"RC": "RC", "UC": "UC"}


def run(t, transport):
    t.connect(transport=transport)
    t.post_recv()
    t.send("UD_SEND_ONLY", 0, payload=data(8))
    t.expect_dropped("qp_type")
    if transport == "RC":
        t.expect_alive(0, msn=1)
    else:
        t.expect_next(0, receive=False)
