# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: no message is longer than 2^31 bytes."""
from scenario import data

CASES = {
    "WRITE 2^31 + 1": ("WRITE_FIRST", (1 << 31) + 1),
    "WRITE 2^32 - 1": ("WRITE_FIRST", (1 << 32) - 1),
    "READ 2^31 + 1": ("READ_REQUEST", (1 << 31) + 1),
}


def run(t, case):
    name, length = case
    t.connect()
    t.send(name, 0, payload=data(256) if name == "WRITE_FIRST" else b"", reth=t.reth(0, length))
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR", msn=0)
