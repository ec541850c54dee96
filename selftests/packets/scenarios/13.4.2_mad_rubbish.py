# SPDX-License-Identifier: GPL-2.0
"""IBA 13.4.2: 256 bytes of anything to QP1: nobody minds."""
import random
import struct

from scenario import Skip

QKEY = 0x80010000


def mad(length=256):
    """A MAD of the connection manager with an attribute that means nothing."""
    head = struct.pack(">BBBBHHQHHI", 1, 7, 2, 3, 0, 0, 0x1122334455667788, 0x00ff, 0, 0)
    return (head + bytes(256 + 256))[:length]


def there_is_a_gsi(t):
    """A MAD with the wrong Q_Key tells."""
    t.connect(transport="UD")
    t.send("UD_SEND_ONLY", 0, payload=mad(), qpn=1, deth=(1, 1))
    t.until(t.wrong_counters, lambda: "a MAD with a wrong Q_Key is not counted")
    reason = t.wrong_counters()[0][0]
    t.expect_counters(**{reason: 1})
    if reason == "drop_no_qp":
        raise Skip("the device has no QP1")
    if reason != "drop_qkey":
        t.fail(f"a MAD with a wrong Q_Key: {reason}")


def run(t):
    there_is_a_gsi(t)
    numbers = random.Random(4)
    for _ in range(50):
        # No method of a response or request that would be answered: classes of vendors.
        rubbish = bytes([1, 0x30, 1, 3]) + numbers.randbytes(252)
        t.send("UD_SEND_ONLY", 0, payload=rubbish, qpn=1, deth=(QKEY, 1))
    t.expect_silence(0.1)
    t.expect_next(1)
