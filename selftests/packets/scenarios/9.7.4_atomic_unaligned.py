# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4.5, 9.7.4: the address of an atomic is a multiple of 8, or the request invalid."""

CASES = {f"{name} at {offset}": (name, offset)
         for name in ("CMP_SWP", "FETCH_ADD") for offset in (1, 2, 4, 7)}


def run(t, case):
    name, offset = case
    t.connect()
    t.send(name, 0, atomic=(t.address(64) + offset, t.key, 1, 0))
    t.expect_fatal("INVALID", 0, "QP_REQ_ERR", msn=0)
