# SPDX-License-Identifier: GPL-2.0
"""IBA 10.2.5: a controlled Q_Key, set by the privileged, is compared in all its bits."""
from scenario import data

KEY = 0x80001234


def run(t):
    t.connect(transport="UD", qkey=KEY)
    t.post_recv()
    t.send("UD_SEND_ONLY", 0, payload=data(8), deth=(KEY & 0x7fffffff, 5))
    t.expect_dropped("qkey")
    t.expect_next(1, receive=False)
