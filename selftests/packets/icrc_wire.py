#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""
icrc_wire.py LIBRARY - wire/icrc.c against scapy and against zlib.

LIBRARY is libsoro-wire.so (make -C tools/userspace lib): the driver's own code
compiled for user space. Payloads of 0 to 4096 bytes, hence every pad count;
IPv4 is built and summed by scapy, IPv6 by roce.py. The same packets must pass
the driver's parser.
"""

import ctypes
import random
import struct
import sys

sys.dont_write_bytecode = True
import roce                         # noqa: E402
from scapy.contrib.roce import BTH  # noqa: E402
from scapy.layers.inet import IP, UDP  # noqa: E402

LENGTHS = range(4097)
OPCODE_SEND_ONLY = 0x04
SEED = 20080407


ICRC_HEAD_BYTES = 8                     # of the BTH, as wire/icrc.h has it


def load(path):
    lib = ctypes.CDLL(path)
    u16, u32, size = ctypes.c_uint16, ctypes.c_uint32, ctypes.c_size_t
    data = ctypes.c_char_p
    for name, args in (
            ("soro_icrc_start4", [data, u16, u16, u16, u16, u16]),
            ("soro_icrc_start6", [data, data, u16, u16, u16, u16]),
            ("soro_icrc_head", [u32, data]),
            ("soro_icrc_update", [u32, data, size])):
        function = getattr(lib, name)
        function.argtypes, function.restype = args, u32
    lib.soro_packet_parse.argtypes = [data, data, u32, u32]
    lib.soro_packet_parse.restype = ctypes.c_int
    return lib


def driver_icrc(lib, datagram):
    """As link/ does it: numbers as arguments, head of the BTH, then the rest."""
    udp = roce.ip_bytes(datagram)
    sport, dport, udp_len = struct.unpack_from(">HHH", datagram, udp)
    if udp == 20:
        tot_len, ident = struct.unpack_from(">HH", datagram, 2)
        crc = lib.soro_icrc_start4(datagram[:20], tot_len, ident, sport, dport, udp_len)
    else:
        payload_len = struct.unpack_from(">H", datagram, 4)[0]
        crc = lib.soro_icrc_start6(datagram[8:24], datagram[24:40], payload_len,
                                   sport, dport, udp_len)
    bth = udp + roce.UDP_BYTES
    crc = lib.soro_icrc_head(crc, datagram[bth:bth + ICRC_HEAD_BYTES])
    rest = datagram[bth + ICRC_HEAD_BYTES:-roce.ICRC_BYTES]
    crc = lib.soro_icrc_update(crc, rest, len(rest))
    return struct.pack("<I", ~crc & 0xffffffff)


def driver_accepts(lib, datagram):
    packet = datagram[roce.ip_bytes(datagram) + roce.UDP_BYTES:]
    room = ctypes.create_string_buffer(512)     # more than a struct soro_pkt
    return lib.soro_packet_parse(room, packet, len(packet), len(packet)) == 0


def transport(rng, length):
    pad = -length & 3
    header = BTH(opcode=OPCODE_SEND_ONLY, solicited=rng.getrandbits(1),
                 migreq=rng.getrandbits(1), padcount=pad, pkey=rng.getrandbits(16),
                 fecn=rng.getrandbits(1), becn=rng.getrandbits(1),
                 dqpn=rng.randrange(1, 0xffffff), ackreq=rng.getrandbits(1),
                 psn=rng.getrandbits(24))
    return header / (rng.randbytes(length) + bytes(pad))


def packet4(rng, length):
    ip = IP(src=".".join(str(rng.getrandbits(8)) for _ in range(4)),
            dst=".".join(str(rng.getrandbits(8)) for _ in range(4)),
            id=rng.getrandbits(16), flags=rng.choice(["DF", 0]), ttl=rng.getrandbits(8),
            tos=rng.getrandbits(8))
    udp = UDP(sport=rng.getrandbits(16), dport=roce.ROCE_PORT)
    return bytes(ip / udp / transport(rng, length))


def packet6(rng, length):
    """By hand: scapy has no ICRC over IPv6."""
    body = transport(rng, length)
    body.icrc = 0
    body = bytes(body)
    udp = struct.pack(">HHHH", rng.getrandbits(16), roce.ROCE_PORT, roce.UDP_BYTES + len(body),
                      rng.getrandbits(16))
    ip = struct.pack(">IHBB", 6 << 28 | rng.getrandbits(28), len(udp) + len(body), 17,
                     rng.getrandbits(8)) + rng.randbytes(32)
    datagram = ip + udp + body
    return datagram[:-roce.ICRC_BYTES] + roce.icrc(datagram)


def compare(lib, make):
    rng = random.Random(SEED)
    bad = 0
    for length in LENGTHS:
        datagram = make(rng, length)
        wanted = datagram[-roce.ICRC_BYTES:]
        got = driver_icrc(lib, datagram)
        accepted = driver_accepts(lib, datagram)
        if got != wanted or roce.icrc(datagram) != wanted or not accepted:
            bad += 1
            if bad <= 10:
                print(f"# {length} bytes: {got.hex()}, expected {wanted.hex()}, reference "
                      f"{roce.icrc(datagram).hex()}, {'' if accepted else 'not '}accepted")
    return bad


def split(lib):
    """roce.py takes a train apart: per-packet length and IP ID, a shorter last one."""
    rng = random.Random(SEED)
    for maker in (packet4, packet6):
        single = maker(rng, 1024)
        udp = roce.ip_bytes(single)
        size = len(single) - udp - roce.UDP_BYTES
        train = single + bytes(2 * size + size // 2 & ~3)
        parts = [bytearray(roce.segment(train, size, i)) for i in range(4)]
        for part in parts:
            part[-roce.ICRC_BYTES:] = driver_icrc(lib, bytes(part))
        train = single[:udp + roce.UDP_BYTES] + b"".join(p[udp + roce.UDP_BYTES:] for p in parts)
        found = roce.packets(train)
        if [bytes(p) for p in parts] != found:
            print(f"# IPv{single[0] >> 4}: {len(found)} packets of "
                  f"{[len(p) for p in found]} bytes found")
            return 1
    return 0


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    lib = load(sys.argv[1])
    cases = (
        ("IPv4: driver = scapy, payloads of 0 to 4096 bytes", lambda: compare(lib, packet4)),
        ("IPv6: driver = zlib, payloads of 0 to 4096 bytes", lambda: compare(lib, packet6)),
        ("trains are taken apart", lambda: split(lib)),
    )
    failed = 0
    print("TAP version 13")
    for number, (name, case) in enumerate(cases, 1):
        bad = case()
        failed += bool(bad)
        print(f"{'not ok' if bad else 'ok'} {number} - {name}")
    print(f"1..{len(cases)}\n# {len(cases) - failed} passed, {failed} failed, 0 skipped")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
