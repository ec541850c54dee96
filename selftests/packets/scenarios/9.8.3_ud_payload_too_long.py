# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.3.1: a payload beyond the MTU of the port is dropped."""
from scenario import data

CASES = {"4097": 4097, "4100": 4100, "4200": 4200}


def run(t, length):
    t.connect(transport="UD")
    t.post_recv(8000)
    t.send("UD_SEND_ONLY", 0, payload=data(length))
    t.expect_dropped("length")
    t.expect_next(1, receive=False)
