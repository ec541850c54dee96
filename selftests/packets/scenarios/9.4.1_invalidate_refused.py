# SPDX-License-Identifier: GPL-2.0
"""IBA 10.6.5: what SEND with invalidate must not end: remote access error, and it stays valid."""
from scenario import data


def wrong_index(t):
    return t.window().key ^ 0x100000


def wrong_variant(t):
    return t.window().key ^ 1


def region(t):
    return t.key


def type_1(t):
    return t.window(kind=1).key


def type_1_free(t):
    return t.window(kind=1, bind=False).key


def free(t):
    return t.window(bind=False).key


def other_qp(t):
    return t.window(other_qp=True).key


def other_pd(t):
    return t.window(stranger=True).key


def nothing(t):
    return 0


CASES = {function.__name__: function for function in (
    wrong_index, wrong_variant, region, type_1, type_1_free, free, other_qp, other_pd, nothing)}


def run(t, key):
    t.connect()
    recv = t.post_recv()
    t.send("SEND_ONLY_INV", 0, payload=b"", ieth=key(t))
    t.expect_fatal("ACCESS", 0, "QP_ACCESS_ERR", msn=0)
    t.expect_recv("WR_FLUSH_ERR", wr_id=recv)
    t.send("SEND_ONLY", 0, payload=data(8))
    t.expect_dropped("qp_state")
