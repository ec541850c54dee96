# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.3: the second of four WRITEs has a bad key: NAK for it, the rest is dropped."""
from scenario import data


def run(t):
    t.connect(ip=6)
    t.send_train([t.part("WRITE_ONLY", psn, payload=data(8, psn),
                         reth=t.reth(8 * psn, 8, key=0xbad if psn == 1 else None))
                  for psn in range(4)])
    t.expect_fatal("ACCESS", 1, "QP_ACCESS_ERR", msn=1)
    t.expect_memory(0, data(8, 0))
    t.expect_dropped("qp_state", 2)
