# SPDX-License-Identifier: GPL-2.0
"""IBA 10.5.2: datagrams to a group that nobody joined, with the multicast QPN or a QP's own."""
from scenario import data

CASES = {
    "multicast QPN": ("239.1.2.3", 4, True), "QP's own": ("239.1.2.3", 4, False),
    "IPv6 multicast QPN": ("ff1e::1:2:3", 6, True), "IPv6 QP's own": ("ff1e::1:2:3", 6, False),
}


def run(t, case):
    group, version, multicast = case
    t.connect(transport="UD", ip=version)
    t.post_recv()
    t.send("UD_SEND_ONLY", 0, payload=data(8), ip={"dst": group},
           qpn=0xffffff if multicast else t.qpn)
    # IP takes no group that it is not in, or the driver finds that nobody is a member.
    t.expect_silence(0.05)
    for name, got, _ in t.wrong_counters():
        if name not in ("drop_multicast", "drop_no_qp"):
            t.fail(f"{name} grew by {got}")
        t.expect_counters(**{name: got})
    t.expect_no_completion()
    t.expect_next(1, receive=False)
