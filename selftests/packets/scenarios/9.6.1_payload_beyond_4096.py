# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4, 9.6.1: no path MTU permits more than 4096 bytes of payload."""
from scenario import data

CASES = {"4097": 4097, "4100": 4100, "4200": 4200}


def run(t, length):
    t.connect(pmtu=4096)
    t.post_recv(16000)
    t.send("SEND_ONLY", 0, payload=data(length))
    t.expect_dropped("length")
    t.expect_alive(0, msn=1)
