# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: the same for a READ: a NAK where the response would be."""

CASES = {
    "0": lambda t: 0,
    "other variant": lambda t: t.key ^ 1,
    "of a stranger's domain": lambda t: t.lab.strange.key,
}


def run(t, key):
    t.connect()
    t.send("READ_REQUEST", 0, reth=t.reth(0, 600, key=key(t)))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR")
