# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: R_Keys that name no region, or not this one."""
from scenario import data

CASES = {
    "0": lambda t: 0,
    "all ones": lambda t: 0xffffffff,
    "other variant": lambda t: t.key ^ 1,
    "other index": lambda t: t.key ^ 0x80000000,
    "of a stranger's domain": lambda t: t.lab.strange.key,
}


def run(t, key):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(8), reth=t.reth(0, 8, key=key(t)))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)
