# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.5.2.8: each time that the request comes again too early it gets an RNR NAK."""


def run(t):
    t.connect()
    for _ in range(3):
        t.send("SEND_ONLY", 0, payload=b"1234")
        t.expect_rnr(0, msn=0)
