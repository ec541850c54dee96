# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9: a CNP to a UD QP is dropped."""
def run(t):
    t.connect(transport="UD")
    t.send("CNP", 0)
    t.expect_dropped("qp_type")
    t.expect_next(0)
