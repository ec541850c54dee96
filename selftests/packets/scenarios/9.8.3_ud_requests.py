# SPDX-License-Identifier: GPL-2.0
"""IBA 9.8.3.1: datagrams that soro sends: DETH, pad, PSNs one after the other, no AckReq."""
import qp
from scenario import QKEY, data

CASES = {
    "0": (0, None, 0, 4), "1": (1, None, 0, 4), "1000": (1000, None, 1, 4),
    "4096": (4096, None, 0, 4), "immediate": (9, 0xcafef00d, 0, 4), "IPv6": (100, 1, 1, 6),
}


def run(t, case):
    length, imm, se, version = case
    t.connect(transport="UD", sq_psn=0xffffff, ip=version)
    for i in range(3):
        wr = t.post("SEND_IMM" if imm is not None else "SEND", data(length, i), imm=imm or 0,
                    flags=qp.SIGNALED | se * qp.SOLICITED)
        fields = {} if imm is None else {"imm": imm}
        t.expect_request("UD_SEND_ONLY" + ("_IMM" if imm is not None else ""), i,
                         payload=data(length, i), ackreq=0, se=se, deth=(QKEY, t.qpn), **fields)
        t.expect_sent(wr_id=wr, opcode="SEND")
