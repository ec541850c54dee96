# SPDX-License-Identifier: GPL-2.0
"""
IBA 10.5.2: a member of a group gets what is sent to its address and QPN 0xffffff; not with
a QP's own number, another Q_Key or transport, and not after it left.
"""
from scenario import LANDING, data, gid

CASES = {"IPv4": (4, "239.1.2.3"), "IPv6": (6, "ff1e::1:2:3")}
ALL = 0xffffff


def run(t, case):
    version, group = case
    t.connect(transport="UD", ip=version)
    for n in range(2):
        t.post_recv(100, LANDING + 100 * n)
    t.qp.attach(gid(group))
    header = t.send("UD_SEND_ONLY", 0, payload=data(8), qpn=ALL, ip={"dst": group})
    t.expect_datagram(data(8), header)
    t.send("UD_SEND_ONLY", 1, payload=data(8, 2), ip={"dst": group})
    t.expect_dropped("multicast")
    t.send("UD_SEND_ONLY", 2, payload=data(8, 2), qpn=ALL, ip={"dst": group}, deth=(1, 5))
    t.expect_dropped("qkey")
    header = t.send("UD_SEND_ONLY", 3, payload=data(8, 3), qpn=ALL, ip={"dst": group})
    t.expect_datagram(data(8, 3), header, LANDING + 100)
    t.qp.attach(gid(group), False)
    t.send("UD_SEND_ONLY", 4, payload=data(8, 2), qpn=ALL, ip={"dst": group})
    t.expect_silence(0.02)
    # IP takes it no more, or nobody is found.
    for name, got, _ in t.wrong_counters():
        if name != "drop_no_qp" or got != 1:
            t.fail(f"{name} grew by {got}")
        t.expect_counters(drop_no_qp=1)
    t.expect_next(5)
