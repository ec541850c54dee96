# SPDX-License-Identifier: GPL-2.0
"""IBA 13.4.2: MADs have 256 bytes; QP1 drops whatever is shorter or longer, and goes on."""
import struct

from scenario import Skip

CASES = {str(length): length for length in (0, 1, 24, 255, 257, 260, 512)}
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


def run(t, length):
    there_is_a_gsi(t)
    t.send("UD_SEND_ONLY", 0, payload=mad(length), qpn=1, deth=(QKEY, 1))
    t.expect_dropped("length")
    before = t.lab.counters.read()["rcvd_pkts"]
    t.send("UD_SEND_ONLY", 0, payload=mad(), qpn=1, deth=(QKEY, 1))
    t.until(lambda: t.lab.counters.read()["rcvd_pkts"] == before + 1,
            lambda: "a MAD of 256 bytes is not counted as received")
    t.expect_silence()
