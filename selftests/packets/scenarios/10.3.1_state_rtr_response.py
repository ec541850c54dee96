# SPDX-License-Identifier: GPL-2.0
"""IBA 10.3.1: in RTR nothing was sent yet: an ACK is nobody's."""


def run(t):
    t.connect(state="RTR")
    t.ack(0)
    t.expect_dropped("qp_state")
