# SPDX-License-Identifier: GPL-2.0
"""IBA 9.3.4: the reserved byte of the DETH is not looked at."""
from scenario import data


def run(t):
    t.connect(transport="UD")
    t.post_recv()
    header = t.send("UD_SEND_ONLY", 0, payload=data(8), deth=(t.qkey, 0xff000005))
    t.expect_datagram(data(8), header, source=5)
