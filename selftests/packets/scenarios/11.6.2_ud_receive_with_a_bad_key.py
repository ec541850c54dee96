# SPDX-License-Identifier: GPL-2.0
"""IBA 11.6.2: a receive with a bad L_Key: protection error, QP in error."""
from scenario import SMALL, SMALL_BYTES, data

CASES = {
    "wrong": lambda t: t.post_recv(200, key=t.key ^ 1),
    "of a stranger's domain": lambda t: t.post_recv(200, key=t.lab.strange.key),
    "without the right": lambda t: t.post_recv(200, key=t.lab.readable.key),
    "beyond": lambda t: t.post_recv(200, SMALL + SMALL_BYTES - 20, key=t.lab.small.key),
}


def run(t, post):
    t.connect(transport="UD")
    recv = post(t)
    t.send("UD_SEND_ONLY", 0, payload=data(8))
    t.expect_recv_fault("LOC_PROT_ERR", recv)
