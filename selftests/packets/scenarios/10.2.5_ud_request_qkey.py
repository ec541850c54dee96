# SPDX-License-Identifier: GPL-2.0
"""IBA 10.2.5: the Q_Key of the request goes out, or the QP's own if its highest bit is set."""
from scenario import data

CASES = {
    "request's": (5, 5), "0": (0, 0), "own": (0x80000005, None), "all ones": (0xffffffff, None),
}


def run(t, case):
    given, sent = case
    t.connect(transport="UD")
    wr = t.post("SEND", data(8), qkey=given)
    t.expect_request("UD_SEND_ONLY", 0, deth=(t.qkey if sent is None else sent, t.qpn))
    t.expect_sent(wr_id=wr)
