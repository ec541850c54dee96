# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1: datagrams to QP numbers that are not there, and to QP0, which RoCE has not."""
from scenario import data

CASES = {"QP0": lambda t: 0, "next": lambda t: t.qpn + 1, "high bit": lambda t: t.qpn ^ 0x800000}


def run(t, number):
    t.connect(transport="UD")
    t.post_recv()
    t.send("UD_SEND_ONLY", 0, payload=data(8), qpn=number(t))
    t.expect_dropped("no_qp")
    t.expect_next(1, receive=False)
