# SPDX-License-Identifier: GPL-2.0
"""IBA 9.7.4: no more READs are outstanding than max_rd_atomic says; SENDs wait behind them."""
from scenario import SOURCE, data


def run(t):
    t.connect(rd_atomic=2)
    posted = [t.post("READ", length=8, offset=SOURCE + 8 * i, remote=(0x1000 * i, 0x55))
              for i in range(4)]
    t.expect_request("READ_REQUEST", 0)
    t.expect_request("READ_REQUEST", 1)
    t.expect_silence()
    for psn in range(4):
        t.respond(psn, data(8, psn))
        t.expect_sent(wr_id=posted[psn])
        t.expect_memory(SOURCE + 8 * psn, data(8, psn))
        if psn < 2:
            t.expect_request("READ_REQUEST", psn + 2, reth=(0x1000 * (psn + 2), 0x55, 8))
