# SPDX-License-Identifier: GPL-2.0
"""IBA 9.4: an empty SEND takes a receive; a receive without a buffer is enough."""


def run(t):
    t.connect()
    for psn, room in enumerate((0, 100)):
        recv = t.post_recv(room)
        t.send("SEND_ONLY_IMM", psn, imm=psn)
        t.expect_ack(psn, msn=psn + 1)
        t.expect_recv(wr_id=recv, byte_len=0, imm=psn)
