# SPDX-License-Identifier: GPL-2.0
"""IBA A19, 9.7.4: an ATOMIC WRITE has eight bytes of payload."""
from scenario import data

CASES = {str(length): length for length in (0, 4, 7, 9, 16)}


def run(t, length):
    t.connect()
    t.send("ATOMIC_WRITE", 0, payload=data(length), reth=t.reth(64, 8))
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR", msn=0)
