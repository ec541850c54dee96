# SPDX-License-Identifier: GPL-2.0
"""
Hand-made RoCEv2 packets: from named fields to an Ethernet frame, and back.

Everything that a sender could get wrong is a field: pad count, lengths, reserved
bits, ICRC. Owns no test, opens no socket. Layouts are those of IBA 9.2 and 9.3.
"""

import ipaddress
import struct

import roce

OPCODES = {
    0x00: "SEND_FIRST", 0x01: "SEND_MIDDLE", 0x02: "SEND_LAST", 0x03: "SEND_LAST_IMM",
    0x04: "SEND_ONLY", 0x05: "SEND_ONLY_IMM", 0x06: "WRITE_FIRST", 0x07: "WRITE_MIDDLE",
    0x08: "WRITE_LAST", 0x09: "WRITE_LAST_IMM", 0x0a: "WRITE_ONLY", 0x0b: "WRITE_ONLY_IMM",
    0x0c: "READ_REQUEST", 0x0d: "READ_RESPONSE_FIRST", 0x0e: "READ_RESPONSE_MIDDLE",
    0x0f: "READ_RESPONSE_LAST", 0x10: "READ_RESPONSE_ONLY", 0x11: "ACK", 0x12: "ATOMIC_ACK",
    0x13: "CMP_SWP", 0x14: "FETCH_ADD", 0x16: "SEND_LAST_INV", 0x17: "SEND_ONLY_INV",
    0x1c: "FLUSH", 0x1d: "ATOMIC_WRITE", 0x64: "UD_SEND_ONLY", 0x65: "UD_SEND_ONLY_IMM",
    0x81: "CNP",
}
OPCODES.update({0x20 | number: f"UC_{OPCODES[number]}" for number in range(0x0c)})
NUMBERS = {name: number for number, name in OPCODES.items()}

# Extension headers by opcode, in the order in which they stand after the BTH. A
# UC opcode carries what the RC opcode of the same low bits does.
HEADERS = {
    0x03: "imm", 0x05: "imm", 0x06: "reth", 0x09: "imm", 0x0a: "reth", 0x0b: "reth imm",
    0x0c: "reth", 0x0d: "aeth", 0x0f: "aeth", 0x10: "aeth", 0x11: "aeth",
    0x12: "aeth atomic_ack", 0x13: "atomic", 0x14: "atomic", 0x16: "ieth", 0x17: "ieth",
    0x1c: "feth reth", 0x1d: "reth", 0x64: "deth", 0x65: "deth imm", 0x81: "cnp",
}
RESPONSES = range(0x0d, 0x13)

NAKS = {"SEQUENCE": 0, "INVALID": 1, "ACCESS": 2, "OPERATION": 3}
NO_CREDITS = 0x1f
# Receives that the other credit codes stand for (IBA 9.7.7.2).
CREDITS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
           1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768)
PSN_MASK = 0xffffff


def ack_syndrome(credits=NO_CREDITS):
    return credits


def rnr_syndrome(timer):
    return 0x20 | timer


def nak_syndrome(code):
    return 0x60 | NAKS.get(code, code)


def opcode_number(opcode):
    return NUMBERS[opcode] if isinstance(opcode, str) else opcode


def opcode_name(number):
    return OPCODES.get(number, f"opcode 0x{number:02x}")


def pad_of(length):
    return -length & 3


def put(name, value):
    """The bytes of one extension header."""
    if name == "imm" or name == "ieth" or name == "feth":
        return struct.pack(">I", value)
    if name == "reth":
        return struct.pack(">QII", *value)              # address, key, length
    if name == "aeth":
        syndrome, msn = value
        return struct.pack(">I", syndrome << 24 | msn & PSN_MASK)
    if name == "atomic":
        return struct.pack(">QIQQ", *value)             # address, key, swap or add, compare
    if name == "atomic_ack":
        return struct.pack(">Q", value)
    if name == "deth":
        return struct.pack(">II", *value)               # Q_Key, source QP
    return bytes(value)


DEFAULTS = {
    "imm": 0, "ieth": 0, "feth": 1, "reth": (0, 0, 0), "aeth": (NO_CREDITS, 0),
    "atomic": (0, 0, 0, 0), "atomic_ack": 0, "deth": (0, 0), "cnp": 16,
}


def headers_of(number):
    """Names of the extension headers of an opcode; a reserved one has none."""
    return HEADERS.get(number if number & 0xe0 != 0x20 else number & 0x1f, "").split()


def transport(opcode, psn=0, qpn=0, payload=b"", se=0, mig=1, pad=None, tver=0, pkey=0xffff,
              becn=0, resv8a=None, ackreq=0, resv7=0, pad_bytes=None, **extensions):
    """
    A packet from BTH to the last byte before the ICRC.

    pad: pad count to announce; by default the right one, as many zeros follow.
    pad_bytes: what follows the payload instead.
    resv8a: the whole byte of FECN, BECN and reserved bits.
    """
    number = opcode_number(opcode)
    if pad is None:
        pad = pad_of(len(payload))
    if pad_bytes is None:
        pad_bytes = bytes(pad_of(len(payload)))
    if resv8a is None:
        resv8a = becn << 6
    out = struct.pack(">BBHII", number, se << 7 | mig << 6 | pad << 4 | tver, pkey,
                      resv8a << 24 | qpn, ackreq << 31 | resv7 << 24 | psn & PSN_MASK)
    for name in headers_of(number):
        out += put(name, extensions.pop(name, DEFAULTS[name]))
    if extensions:
        raise TypeError(f"{opcode_name(number)} has no {', '.join(extensions)}")
    return out + payload + pad_bytes


def ip4_checksum(header):
    total = sum(struct.unpack(f">{len(header) // 2}H", header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total ^ 0xffff


def fix_ip4(data):
    """Give an IPv4 datagram (bytearray) the checksum that its header should have."""
    length = (data[0] & 0xf) * 4
    data[10:12] = b"\0\0"
    struct.pack_into(">H", data, 10, ip4_checksum(bytes(data[:length])))


def datagram(packet, src, dst, sport=0xc123, dport=roce.ROCE_PORT, tos=0, ttl=64, ident=0x1234,
             dont_fragment=1, flow_label=0, udp_check=0):
    """An IP datagram around a packet without ICRC, whose right ICRC is added."""
    src, dst = ipaddress.ip_address(src), ipaddress.ip_address(dst)
    length = roce.UDP_BYTES + len(packet) + roce.ICRC_BYTES
    udp = struct.pack(">HHHH", sport, dport, length, udp_check)
    if src.version == 4:
        ip = bytearray(struct.pack(">BBHHHBBH4s4s", 0x45, tos, 20 + length, ident,
                                   dont_fragment << 14, ttl, 17, 0, src.packed, dst.packed))
        fix_ip4(ip)
    else:
        ip = struct.pack(">IHBB16s16s", 6 << 28 | tos << 20 | flow_label, length, 17, ttl,
                         src.packed, dst.packed)
    data = bytes(ip) + udp + packet + bytes(roce.ICRC_BYTES)
    return bytearray(data[:-roce.ICRC_BYTES] + roce.icrc(data))


def udp_checksum(data):
    """The UDP checksum that a datagram should have."""
    at = roce.ip_bytes(data)
    udp = bytearray(data[at:])
    udp[6:8] = b"\0\0"
    addresses = data[12:20] if at == 20 else data[8:40]
    pseudo = bytes(addresses) + struct.pack(">II", 17, len(udp)) + bytes(udp)
    return ip4_checksum(pseudo + bytes(len(pseudo) & 1)) or 0xffff


def frame(data, src_mac, dst_mac):
    """An Ethernet frame around an IP datagram."""
    return dst_mac + src_mac + (b"\x08\x00" if data[0] >> 4 == 4 else b"\x86\xdd") + bytes(data)


def ip_packet(proto, body, src, dst, ident=0x1234, fragment=0, options=b""):
    """
    An IP packet of any protocol, for what datagram() does not make: fragments
    (IPv4: flags and offset), IPv4 options, IPv6 extension headers (in body).
    """
    src, dst = ipaddress.ip_address(src), ipaddress.ip_address(dst)
    if src.version == 6:
        return struct.pack(">IHBB16s16s", 6 << 28, len(body), proto, 64, src.packed,
                           dst.packed) + body
    words = 5 + len(options) // 4
    ip = bytearray(struct.pack(">BBHHHBBH4s4s", 0x40 | words, 0, words * 4 + len(body), ident,
                               fragment, 64, proto, 0, src.packed, dst.packed) + options)
    fix_ip4(ip)
    return bytes(ip) + body


class Packet:
    """A packet that soro sent, taken apart; ValueError if it is not well formed."""

    def __init__(self, data):
        self.data = data
        at = roce.ip_bytes(data)
        if not roce.good(data):
            raise ValueError("wrong ICRC")
        if at == 20 and ip4_checksum(bytes(data[:20])):
            raise ValueError("wrong IPv4 checksum")
        if struct.unpack_from(">H", data, at + 4)[0] != len(data) - at:
            raise ValueError("wrong UDP length")
        bth = data[at + roce.UDP_BYTES:-roce.ICRC_BYTES]
        self.number, flags, self.pkey, self.qpn, last = struct.unpack_from(">BBHII", bth)
        self.resv8a, self.qpn = self.qpn >> 24, self.qpn & 0xffffff
        self.ackreq, self.resv7, self.psn = last >> 31, last >> 24 & 0x7f, last & PSN_MASK
        self.se, self.mig, self.pad, self.tver = (flags >> 7, flags >> 6 & 1, flags >> 4 & 3,
                                                  flags & 0xf)
        self.name = opcode_name(self.number)
        becn = 0x40 if self.name == "CNP" else 0
        if self.tver or self.resv8a != becn or self.resv7 or not self.mig or \
           self.pkey != 0xffff:
            raise ValueError("BTH has bits that should not be set, or has not those that should")
        if self.number not in OPCODES:
            raise ValueError(f"{self.name} sent")
        rest = bth[roce.BTH_BYTES:]
        for name in headers_of(self.number):
            rest = self.take(name, rest)
        if self.pad != pad_of(len(rest) - self.pad) or any(rest[len(rest) - self.pad:]):
            raise ValueError(f"pad of {self.pad} after {len(rest) - self.pad} bytes")
        self.payload = bytes(rest[:len(rest) - self.pad])

    def take(self, name, rest):
        if name == "aeth":
            word = struct.unpack_from(">I", rest)[0]
            self.syndrome, self.msn = word >> 24, word & PSN_MASK
            return rest[4:]
        if name == "cnp":
            if any(rest[:16]):
                raise ValueError("reserved bytes of a CNP are not 0")
            return rest[16:]
        size, value = {
            "reth": (16, ">QII"), "imm": (4, ">I"), "ieth": (4, ">I"), "atomic": (28, ">QIQQ"),
            "atomic_ack": (8, ">Q"), "feth": (4, ">I"), "deth": (8, ">II"),
        }[name]
        value = struct.unpack_from(value, rest)
        setattr(self, name, value if len(value) > 1 else value[0])
        return rest[size:]

    def __str__(self):
        return describe(self.data)


def describe(data):
    """One line about a datagram, for a person who looks for a fault."""
    if data[0] >> 4 == 4 and (data[0] & 0xf != 5 or data[9] != 17) or \
       data[0] >> 4 == 6 and data[6] != 17:
        return f"IP packet of {len(data)} bytes"
    at = roce.ip_bytes(data) + roce.UDP_BYTES
    if len(data) < at + roce.PACKET_MIN:
        return f"{len(data)} bytes"
    number, flags, pkey, qpn, last = struct.unpack_from(">BBHII", data, at)
    text = (f"{opcode_name(number)} qpn 0x{qpn & 0xffffff:x} psn 0x{last & PSN_MASK:06x}"
            f"{' ackreq' if last >> 31 else ''}")
    at += roce.BTH_BYTES
    if flags & 0x80:
        text += " se"
    for name in headers_of(number):
        if name == "reth" and len(data) >= at + 16:
            text += " va 0x%x key 0x%x len %d" % struct.unpack_from(">QII", data, at)
        if name == "deth" and len(data) >= at + 8:
            text += " qkey 0x%x from 0x%x" % struct.unpack_from(">II", data, at)
        if name == "aeth" and len(data) >= at + 4:
            word = struct.unpack_from(">I", data, at)[0]
            text += f" syndrome 0x{word >> 24:02x} msn {word & PSN_MASK}"
        at += len(put(name, DEFAULTS[name]))
    return f"{text}, {max(0, len(data) - at - roce.ICRC_BYTES)} bytes" + \
        (f", pad {flags >> 4 & 3}" if flags >> 4 & 3 else "") + \
        ("" if roce.good(data) else ", wrong ICRC")
