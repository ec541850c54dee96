# SPDX-License-Identifier: GPL-2.0
"""IBA 9.9.3, 11.6.2: the receive's own key is bad: remote operational error, LOC_PROT_ERR here."""
from scenario import data

CASES = {
    "no such key": lambda t: 0xbad,
    "a readable region": lambda t: t.lab.readable.key,
    "of a stranger's domain": lambda t: t.lab.strange.key,
}


def run(t, key):
    t.connect()
    t.post_recv(100, key=key(t))
    later = t.post_recv(100)
    t.send("SEND_ONLY", 0, payload=data(8))
    t.expect_fatal("OPERATION", 0, None, msn=0, recv="LOC_PROT_ERR")
    t.expect_recv("WR_FLUSH_ERR", wr_id=later)
