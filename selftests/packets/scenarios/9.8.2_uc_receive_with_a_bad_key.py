# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.3: a receive with a bad L_Key completes with a protection error, QP in error."""
from scenario import data


def run(t):
    t.connect(transport="UC")
    recv = t.post_recv(100, key=t.key ^ 1)
    t.send_message("SEND", 0, data(8))
    t.expect_recv_fault("LOC_PROT_ERR", recv)
