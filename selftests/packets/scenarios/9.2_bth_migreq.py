# SPDX-License-Identifier: GPL-2.0
"""
IBA 9.2, 17.2.8: MigReq. soro knows no path migration: it sends "migrated" (1, looked at
in every packet that it sends) and does not look at what it receives.
"""
from scenario import data

CASES = {"0": 0, "1": 1}


def run(t, mig):
    t.connect()
    t.send("WRITE_ONLY", 0, payload=data(4), reth=t.reth(0, 4), mig=mig)
    t.expect_ack(0, msn=1)
    t.expect_memory(0, data(4))
    wr = t.post("SEND", b"hello")
    t.expect_request("SEND_ONLY", 0, payload=b"hello", mig=1)
    t.ack(0, mig=mig)
    t.expect_sent(wr_id=wr)
