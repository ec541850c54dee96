# SPDX-License-Identifier: GPL-2.0
"""IBA 10.9.3: the P_Key of a datagram: wrong ones are dropped, that of a limited member is not."""
from scenario import data

CASES = {"0": (0, False), "other": (0x8001, False), "limited member": (0x7fff, True)}


def run(t, case):
    pkey, taken = case
    t.connect(transport="UD")
    t.post_recv()
    header = t.send("UD_SEND_ONLY", 0, payload=data(8), pkey=pkey)
    if taken:
        t.expect_datagram(data(8), header)
    else:
        t.expect_dropped("pkey")
        t.expect_next(1, receive=False)
