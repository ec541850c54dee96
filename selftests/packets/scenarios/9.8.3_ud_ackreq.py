# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.3.2: AckReq of a datagram is not looked at."""
from scenario import data


def run(t):
    t.connect(transport="UD")
    t.post_recv()
    header = t.send("UD_SEND_ONLY", 0, payload=data(8), ackreq=1)
    t.expect_datagram(data(8), header)
    t.expect_silence(0.1)
