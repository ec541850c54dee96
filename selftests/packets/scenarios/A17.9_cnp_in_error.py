# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: a CNP for a QP in ERR is dropped."""


def run(t):
    t.connect()
    t.modify("ERR")
    t.send("CNP", 0, becn=1)
    t.expect_dropped("qp_state")
