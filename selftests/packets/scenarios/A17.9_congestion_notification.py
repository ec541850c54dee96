# SPDX-License-Identifier: GPL-2.0
"""IBA A17.9: a CNP is taken notice of, and no more."""


def run(t):
    t.connect()
    t.send("CNP", 0, becn=1)
    t.expect_dropped("cnp")
    t.expect_alive(0, msn=1)
