# SPDX-License-Identifier: GPL-2.0
"""IBA 9.6.1.4: a datagram with another Q_Key is dropped in silence; its receive stays."""
from scenario import QKEY, data

CASES = {"0": 0, "one more": QKEY + 1, "high bit": QKEY | 0x80000000, "all ones": 0xffffffff,
         "reversed": 0x44332211}


def run(t, qkey):
    t.connect(transport="UD")
    t.post_recv()
    t.send("UD_SEND_ONLY", 0, payload=data(8), deth=(qkey, 5))
    t.expect_dropped("qkey")
    t.expect_no_completion()
    t.expect_next(1, receive=False)
