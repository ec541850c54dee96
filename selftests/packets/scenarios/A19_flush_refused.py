# SPDX-License-Identifier: GPL-2.0
"""IBA A19: FLUSHes that cannot be: rights, key, range, placement type, level."""
import qp
from scenario import BUFFER_BYTES

ACCESS = qp.ALL_ACCESS | qp.FLUSH_GLOBAL
INVALID, DENIED = ("INVALID", "QP_REQ_ERR"), ("ACCESS", "QP_ACCESS_ERR")

CASES = {
    "QP without FLUSH": (0x01, 8, {"access": qp.ALL_ACCESS}, INVALID),
    "QP without READs": (0x01, 8, {"dest_rd_atomic": 0}, INVALID),
    "region without FLUSH": (0x01, 8, {"key": "whole"}, DENIED),
    "no bytes, region without FLUSH": (0x01, 0, {"key": "whole"}, DENIED),
    "whole region without FLUSH": (0x11, 8, {"key": "whole"}, DENIED),
    "another protection domain": (0x11, 8, {"key": "strange"}, DENIED),
    "bad key": (0x01, 8, {"key": None}, DENIED),
    "whole region, bad key": (0x11, 8, {"key": None}, DENIED),
    "beyond the region": (0x01, BUFFER_BYTES + 1, {}, DENIED),
    "around the address space": (0x01, 0xffffffff, {}, DENIED),
    "no placement type": (0x00, 8, {}, INVALID),
    "persistence": (0x02, 8, {}, INVALID),
    "persistence of a QP with its right": (0x02, 8, {"access": ACCESS | qp.FLUSH_PERSISTENT},
                                           INVALID),
    "visibility and persistence": (0x03, 8, {}, INVALID),
    "reserved type": (0x04, 8, {}, INVALID),
    "type and a reserved one": (0x09, 8, {}, INVALID),
    "reserved level": (0x21, 8, {}, INVALID),
    "highest level": (0x31, 8, {}, INVALID),
}


def run(t, case):
    feth, length, options, (code, event) = case
    options = {"access": ACCESS, **options}
    key = t.flushable()
    if "key" in options:
        region = options.pop("key")
        key = getattr(t.lab, region).key if region else 0xbad
    t.connect(**options)
    t.send("FLUSH", 0, feth=feth, reth=t.reth(0, length, key=key))
    t.expect_fatal(code, 0, event, msn=0)
