# SPDX-License-Identifier: GPL-2.0
"""IBA A19: ATOMIC WRITEs that cannot be: address, length, key, rights."""
import qp
from scenario import data

CASES = {
    "unaligned": ({}, lambda t: t.reth(68, 8), "INVALID", "QP_REQ_ERR"),
    "length 4": ({}, lambda t: t.reth(64, 4), "INVALID", "QP_REQ_ERR"),
    "length 0": ({}, lambda t: t.reth(64, 0), "INVALID", "QP_REQ_ERR"),
    "bad key": ({}, lambda t: t.reth(64, 8, key=0xbad), "ACCESS", "QP_ACCESS_ERR"),
    "region without WRITE": ({}, lambda t: t.reth(64, 8, key=t.lab.readable.key), "ACCESS",
                             "QP_ACCESS_ERR"),
    "QP without WRITE": ({"access": qp.ALL_ACCESS & ~qp.REMOTE_WRITE}, lambda t: t.reth(64, 8),
                         "INVALID", "QP_REQ_ERR"),
}


def run(t, case):
    options, reth, code, event = case
    t.connect(**options)
    t.send("ATOMIC_WRITE", 0, payload=data(8), reth=reth(t))
    t.expect_fatal(code, 0, event, msn=0)
