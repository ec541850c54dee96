# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4, 9.7.4: WRITEs of two, three and many packets, whole and not, over IPv4 and IPv6."""
from scenario import data

CASES = {
    "257": (257, 4), "512": (512, 4), "513": (513, 4), "768": (768, 4), "4001": (4001, 4),
    "4001 over IPv6": (4001, 6),
}


def run(t, case):
    length, version = case
    t.connect(ip=version)
    n = t.send_message("WRITE", 0, data(length), offset=3)
    t.expect_ack(n - 1, msn=1)
    t.expect_memory(3, data(length))
