# SPDX-License-Identifier: GPL-2.0
"""IBA 9.3.4: the source QP of the DETH is shown to the application, whatever it is."""
from scenario import data

CASES = {"0": 0, "1": 1, "largest": 0xffffff, "0x123456": 0x123456}


def run(t, source):
    t.connect(transport="UD")
    t.post_recv()
    header = t.send("UD_SEND_ONLY", 0, payload=data(8), deth=(t.qkey, source))
    t.expect_datagram(data(8), header, source=source)
