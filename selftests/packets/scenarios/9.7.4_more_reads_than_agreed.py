# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: one READ more than agreed in a super-packet: NAK for it, answers to the others."""
AGREED = 2


def run(t):
    t.connect(ip=6, dest_rd_atomic=AGREED)
    t.send_train([t.part("READ_REQUEST", 2 * i, reth=t.reth(1000 * i, 300))
                  for i in range(AGREED + 1)])
    for i in range(AGREED):
        t.expect_read(2 * i, t.read_memory(1000 * i, 300))
    t.expect_fatal("INVALID", 2 * AGREED, "QP_REQ_ERR", msn=AGREED)
