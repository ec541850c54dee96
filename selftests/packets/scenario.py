# SPDX-License-Identifier: GPL-2.0
"""
What a scenario is written in: a live soro QP on one side, hand-made packets on the other.

A scenario calls t.connect() for a fresh QP in RTS, then says in turn what the peer
sends and what has to come of it: replies on the wire, completions, memory,
counters, asynchronous events, the state of the QP. What it does not say must not
happen: at its end no packet, completion or event may be left over, every byte
of memory and every counter of STRICT must be what the scenario made of it, and
the QP must be in the state that was named last (RTS if none was).

A UC or UD QP is made by t.connect(transport="UC"); what the peer sends to it is never answered.

PSNs are relative. For requests of the peer and their answers 0 is the PSN that soro
expects first, for requests of soro and their answers 0 is the first that soro sends.

Owns no scenario; knows no clause.
"""

import ctypes
import ipaddress
import mmap
import os
import select
import socket
import time

import craft
import qp as verbs
import roce

PMTU_CODES = {256: 1, 512: 2, 1024: 3, 2048: 4, 4096: 5}

SORO_IP, PEER_IP = {4: "10.99.0.1", 6: "fd99::1"}, {4: "10.99.0.2", 6: "fd99::2"}
OTHER_IP = {4: "10.99.0.9", 6: "fd99::9"}       # another address of soro's interface
STRANGER_IP = {4: "10.99.0.3", 6: "fd99::3"}    # nobody
PEER_QPN = 0xabc
QKEY = 0x11223344
GRH_BYTES = 40

# Counters that may change only as a scenario says.
FREE = ("sent_", "rcvd_", "rdma_sends", "rdma_recvs")

# One buffer, all of it in one region: what the peer reads and writes, what soro
# sends from, where it receives, and in its last quarter a small region between
# guard bytes that no other key covers... but the key of the whole.
BUFFER_BYTES = 65536
HAS_FLUSH = tuple(map(int, os.uname().release.split(".")[:2])) >= (6, 2)
REMOTE, SOURCE, LANDING, SMALL = 0, 16384, 32768, 49152 + 100
SMALL_BYTES = 1000
PATTERN = bytes((7 * i + 13 * (i >> 8)) & 0xff for i in range(BUFFER_BYTES))

QUIET_SEC = 0.004

# A local ACK timeout, 537 ms, within which the peer, an interpreter in an emulated
# guest, has to act.
TIMEOUT = 17
CLONE_NEWNET = 0x40000000
PACKET_IGNORE_OUTGOING = 23
SOL_PACKET = 263
SOL_UDP, UDP_SEGMENT = 17, 103


class Failed(Exception):
    """What a scenario expected did not happen."""


class Skip(Exception):
    """A scenario cannot run here."""


def gid(address):
    address = ipaddress.ip_address(address)
    return address.packed if address.version == 6 else bytes(10) + b"\xff\xff" + address.packed


def data(length, seed=1):
    """Bytes to send, unlike those of PATTERN."""
    return bytes((31 * i + 101 * seed + (i >> 7)) & 0xff for i in range(length))


def mac(interface):
    with open(f"/sys/class/net/{interface}/address", encoding="ascii") as file:
        return bytes.fromhex(file.read().replace(":", ""))


class Lab:
    """What all scenarios share: device, memory, the peer's sockets."""

    def __init__(self, library, device, dev_index, netns, interface, soro_mac, peer_mac, ip):
        self.ip = ip
        self.knobs = f"/sys/kernel/debug/soro/{device}"
        self.macs = bytes.fromhex(peer_mac.replace(":", "")), \
            bytes.fromhex(soro_mac.replace(":", ""))
        self.open_sockets(netns, interface)
        self.device = verbs.Device(library, device)
        self.counters = verbs.Counters(dev_index)
        self.gids = {version: self.wait_gid(SORO_IP[version]) for version in (4, 6)}
        self.wait_gid(OTHER_IP[4])
        self.memory = mmap.mmap(-1, BUFFER_BYTES)
        self.address = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.whole = self.region(0, BUFFER_BYTES, verbs.ALL_ACCESS)
        self.small = self.region(SMALL, SMALL_BYTES, verbs.ALL_ACCESS)
        self.local = self.region(0, BUFFER_BYTES, verbs.LOCAL_WRITE)
        self.readable = self.region(0, BUFFER_BYTES, verbs.REMOTE_READ)
        self.writable = self.region(0, BUFFER_BYTES, verbs.LOCAL_WRITE | verbs.REMOTE_WRITE)
        self.strange = self.region(0, BUFFER_BYTES, verbs.ALL_ACCESS, stranger=True)

    def region(self, offset, length, access, stranger=False):
        return self.device.register(self.address + offset, length, access, stranger)

    def open_sockets(self, netns, interface):
        """
        In the peer's namespace: one that sees and sends frames, and a UDP socket that
        keeps its kernel from saying "port unreachable" and can send trains.
        """
        libc = ctypes.CDLL(None, use_errno=True)
        here, there = os.open("/proc/self/ns/net", os.O_RDONLY), os.open(netns, os.O_RDONLY)
        if libc.setns(there, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
        self.wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        self.wire.setsockopt(SOL_PACKET, PACKET_IGNORE_OUTGOING, 1)
        self.wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.wire.bind((interface, 0))
        self.wire.setblocking(False)
        self.udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        self.udp.bind((PEER_IP[6], roce.ROCE_PORT))
        if libc.setns(here, CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "setns")
        os.close(here)
        os.close(there)
        self.poll = select.poll()
        self.poll.register(self.wire, select.POLLIN)

    def wait_gid(self, address, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            index = self.device.gid_index(gid(address))
            if index is not None:
                return index
            time.sleep(0.05)
        raise Failed(f"no GID for {address}")

    def receive(self, seconds):
        """The next datagram to the RoCE port, None after a while."""
        end = time.monotonic() + seconds
        while True:
            try:
                frame = self.wire.recv(70000)
            except BlockingIOError:
                left = end - time.monotonic()
                if left <= 0:
                    return None
                self.poll.poll(max(1, left * 1000))
                continue
            packet = roce.network(frame, roce.LINKTYPE_ETHERNET)
            if packet is not None and roce.is_roce(packet):
                return packet


class Scenario:
    """One scenario: t."""

    def __init__(self, lab, slow=1.0):
        self.lab = lab
        self.wait = 3.0 * slow
        self.log = []
        self.qp = None
        self.regions = []
        self.windows = []
        self.others = []
        self.knobs = {}
        while lab.receive(0) is not None:
            pass
        lab.memory[:] = PATTERN
        self.shadow = bytearray(PATTERN)
        self.before = lab.counters.read()
        self.deltas = {}
        self.state = "RTS"
        self.next_wr_id = 1
        self.receives = self.most_receives = 0      # now, and since the last ACK
        self.key = lab.whole.key

    # ---- making ----

    def connect(self, state="RTS", pmtu=256, ip=None, rq_psn=0x1000, sq_psn=0x2000, timeout=0,
                retry_cnt=7, rnr_retry=7, min_rnr_timer=1, rd_atomic=4, dest_rd_atomic=4,
                access=verbs.ALL_ACCESS, send_wr=16, recv_wr=16, traffic_class=0,
                credits=craft.NO_CREDITS, transport="RC", qkey=QKEY, srq=False):
        """
        A fresh QP, in RTS or the state named. Without an ACK timeout it does not probe
        either: an interpreter as peer may be slow. In RTS the peer says by an unsolicited
        ACK how many receives it has, no limit if nothing else is named; None: it says nothing.
        With srq the receives are in a queue that may be shared.
        """
        self.pmtu, self.ip = pmtu, ip or self.lab.ip
        self.transport, self.qkey = transport, qkey
        self.rq_psn, self.sq_psn = rq_psn, sq_psn
        self.srq = srq
        opts = verbs.Opts(
            dgid=(ctypes.c_uint8 * 16)(*gid(PEER_IP[self.ip])), sgid_index=self.lab.gids[self.ip],
            path_mtu=PMTU_CODES[pmtu], dest_qpn=PEER_QPN, rq_psn=rq_psn, sq_psn=sq_psn,
            timeout=timeout, retry_cnt=retry_cnt, rnr_retry=rnr_retry,
            min_rnr_timer=min_rnr_timer, rd_atomic=rd_atomic, dest_rd_atomic=dest_rd_atomic,
            access=access, send_wr=send_wr, recv_wr=recv_wr, sge=verbs.SGE_MAX, hop_limit=64,
            traffic_class=traffic_class, type=verbs.TYPES[transport], qkey=qkey, srq=srq)
        self.opts = opts
        self.qp = verbs.Qp(self.lab.device, opts)
        self.qpn = self.qp.number
        self.state = "RESET"
        if state == "RESET":
            return
        for step in ("INIT", "RTR", "RTS"):
            self.modify(step)
            if step == state:
                break
        if state == "RTS" and credits is not None and transport == "RC":
            self.ack(-1, credits=credits)

    def modify(self, state):
        self.note(f"QP to {state}")
        self.qp.modify(verbs.STATES.index(state))
        self.state = state
        if state == "RESET":
            self.receives = self.most_receives = 0

    def resume(self):
        """From SQD to RTS, with all that was set before."""
        self.note("QP to RTS again")
        self.qp.set_state(verbs.RTS)
        self.state = "RTS"

    def destroy_qp(self):
        self.note("QP destroyed")
        self.qp.destroy()
        self.state = None

    def register(self, offset, length, access=verbs.ALL_ACCESS):
        """A region that lives as long as the scenario, or until it is deregistered."""
        region = self.lab.region(offset, length, access)
        self.regions.append(region)
        return region

    def flushable(self):
        """The key of a region that grants FLUSH, where the kernel has a right for it."""
        if not HAS_FLUSH:
            raise Skip("the kernel has no rights for FLUSH (6.2 has)")
        return self.register(0, BUFFER_BYTES, verbs.FLUSH_GLOBAL).key

    def expect_error(self, call):
        """What the application tries is refused."""
        try:
            call()
        except OSError:
            return
        self.fail("what must be refused was not")

    def deregister(self, region):
        self.regions.remove(region)
        region.deregister()

    def window(self, kind=2, offset=0, length=4096, access=verbs.REMOTE_READ | verbs.REMOTE_WRITE,
               bind=True, other_qp=False, stranger=False, region_access=0):
        """
        A memory window of type 1 or 2, bound to a part of a region of its own; by another
        QP that is like this one, or in another protection domain and not bound.
        """
        region = self.register(0, BUFFER_BYTES, verbs.LOCAL_WRITE | verbs.MW_BIND | region_access)
        window = self.lab.device.window(kind, stranger)
        self.windows.append(window)
        if not bind or stranger:
            return window
        qp = self.qp
        if other_qp:
            qp = verbs.Qp(self.lab.device, self.opts)
            self.others.append(qp)
            for step in ("INIT", "RTR", "RTS"):
                qp.modify(verbs.STATES.index(step))
        qp.bind(0, window, region, offset, length, access)
        self.until(lambda: self.bound(qp), lambda: "no completion of a bind")
        return window

    def rebind(self, window):
        """Bind a window that is free again; returns its key."""
        self.qp.bind(0, window, self.regions[-1], 0, 4096, verbs.REMOTE_READ | verbs.REMOTE_WRITE)
        self.until(lambda: self.bound(self.qp), lambda: "no completion of a bind")
        return window.key

    def bound(self, qp):
        wc = qp.poll(False)
        if wc and wc.status:
            self.fail(f"bind: {verbs.STATUSES.get(wc.status, wc.status)}")
        return wc

    def knob(self, name, value):
        """Turn a knob of the device, for this scenario."""
        path = os.path.join(self.lab.knobs, name)
        if not os.path.exists(path):
            raise Skip(f"no knob {name}; is debugfs mounted?")
        with open(path, encoding="ascii") as file:
            self.knobs.setdefault(path, file.read().strip())
        with open(path, "w", encoding="ascii") as file:
            file.write(str(value))

    def close(self):
        for path, value in self.knobs.items():
            with open(path, "w", encoding="ascii") as file:
                file.write(value)
        if self.qp:
            self.qp.close()
        for qp in self.others:
            qp.close()
        for window in self.windows:
            window.deallocate()
        for region in self.regions:
            region.deregister()

    def note(self, text):
        self.log.append(text)

    def fail(self, text):
        self.note(f"! {text}")
        raise Failed(text)

    # ---- memory ----

    def address(self, offset):
        return self.lab.address + offset

    def reth(self, offset, length, key=None):
        """A RETH of soro's memory."""
        return self.lab.address + offset, self.key if key is None else key, length

    def read_memory(self, offset, length):
        return bytes(self.lab.memory[offset:offset + length])

    def write_memory(self, offset, content):
        """The application writes."""
        self.lab.memory[offset:offset + len(content)] = content
        self.shadow[offset:offset + len(content)] = content

    def expect_memory(self, offset, content):
        """These bytes are there, or come soon."""
        self.until(lambda: self.read_memory(offset, len(content)) == content,
                   lambda: f"memory at {offset}: {len(content)} bytes are not what was sent")
        self.shadow[offset:offset + len(content)] = content

    def until(self, condition, complaint):
        end = time.monotonic() + self.wait
        while not condition():
            if time.monotonic() > end:
                self.fail(complaint())
            time.sleep(0.0005)

    # ---- the peer sends ----

    def psn_of(self, psn, response):
        return psn + (self.sq_psn if response else self.rq_psn) & craft.PSN_MASK

    def build(self, opcode, psn=0, ip=None, **fields):
        """A datagram from the peer; ip: fields of craft.datagram()."""
        number = craft.opcode_number(opcode)
        name = craft.opcode_name(number)
        response = number in craft.RESPONSES
        fields.setdefault("qpn", self.qpn)
        if number < 0x20 and not response and name.endswith(("ONLY", "LAST", "IMM", "INV")):
            fields.setdefault("ackreq", 1)
        if name.startswith("UD_SEND"):
            fields.setdefault("deth", (self.qkey, PEER_QPN))
        packet = craft.transport(number, psn=self.psn_of(psn, response), **fields)
        header = {"src": PEER_IP[self.ip], "dst": SORO_IP[self.ip], **(ip or {})}
        return craft.datagram(packet, **header)

    def send(self, opcode, psn=0, alter=None, trailer=b"", **fields):
        """
        The peer sends a packet. SENDs, WRITEs and the like of RC ask for an ACK in their
        LAST and ONLY unless ackreq says otherwise. Returns the datagram.

        alter: function that is given the datagram (bytearray, ICRC right) to spoil it;
        an IPv4 header checksum is made right afterwards.
        """
        datagram = self.build(opcode, psn, **fields)
        if alter:
            datagram = alter(datagram) or datagram
            if datagram[0] >> 4 == 4:
                craft.fix_ip4(datagram)
        self.send_raw(datagram, trailer)
        return datagram

    def send_raw(self, datagram, trailer=b""):
        """The peer sends a datagram as it is."""
        self.note(f"-> {craft.describe(datagram)}")
        self.lab.wire.send(craft.frame(datagram, *self.lab.macs) + trailer)

    def part(self, opcode, psn=0, **fields):
        """A packet for send_train(), BTH to ICRC; fields as for send()."""
        datagram = self.build(opcode, psn, ip={"sport": roce.ROCE_PORT}, **fields)
        return bytes(datagram[40 + roce.UDP_BYTES:])

    def send_train(self, parts):
        """
        The peer sends packets as one super-packet, over IPv6 only: there the kernel, which
        makes the IP header, chooses nothing that is under the ICRC. All are as long as
        the first, the last may be shorter.
        """
        size = len(parts[0])
        self.note(f"-> train of {len(parts)} packets of {size} bytes")
        self.lab.udp.sendmsg([b"".join(parts)],
                             [(SOL_UDP, UDP_SEGMENT, size.to_bytes(2, "little"))], 0,
                             (SORO_IP[6], roce.ROCE_PORT))

    def segments(self, content):
        """(position, content) of the packets of a message."""
        parts = [content[i:i + self.pmtu] for i in range(0, len(content), self.pmtu)] or [b""]
        if len(parts) == 1:
            return [("ONLY", parts[0])]
        return [("FIRST", parts[0])] + [("MIDDLE", part) for part in parts[1:-1]] + \
            [("LAST", parts[-1])]

    def send_message(self, kind, psn, content, offset=0, imm=None, key=None, length=None,
                     ackreq=None):
        """The peer sends a whole SEND or WRITE; returns the PSNs it took."""
        prefix = "UC_" if self.transport == "UC" else ""
        if ackreq is None:
            ackreq = int(self.transport == "RC")
        parts = self.segments(content)
        for i, (position, part) in enumerate(parts):
            fields = {}
            last = position in ("LAST", "ONLY")
            if kind == "WRITE" and position in ("FIRST", "ONLY"):
                fields["reth"] = self.reth(offset, len(content) if length is None else length,
                                           key)
            if last and imm is not None:
                position += "_IMM"
                fields["imm"] = imm
            self.send(f"{prefix}{kind}_{position}", psn + i, payload=part,
                      ackreq=ackreq if last else 0, **fields)
        return len(parts)

    def ack(self, psn, msn=0, credits=craft.NO_CREDITS, **fields):
        self.send("ACK", psn, aeth=(craft.ack_syndrome(credits), msn), **fields)

    def nak(self, code, psn, msn=0, **fields):
        self.send("ACK", psn, aeth=(craft.nak_syndrome(code), msn), **fields)

    def rnr(self, psn, timer=1, msn=0, **fields):
        self.send("ACK", psn, aeth=(craft.rnr_syndrome(timer), msn), **fields)

    def respond(self, psn, content, msn=0):
        """The peer answers a READ request at psn with all of content."""
        for i, (position, part) in enumerate(self.segments(content)):
            aeth = {} if position == "MIDDLE" else {"aeth": (craft.ack_syndrome(), msn)}
            self.send(f"READ_RESPONSE_{position}", psn + i, payload=part, **aeth)

    def answer_atomic(self, psn, value, msn=0):
        """The peer answers a CMP_SWP or FETCH_ADD."""
        self.send("ATOMIC_ACK", psn, aeth=(craft.ack_syndrome(), msn), atomic_ack=value)

    # ---- soro sends ----

    def next_packet(self, seconds=None):
        datagram = self.lab.receive(self.wait if seconds is None else seconds)
        if datagram is None:
            return None
        self.note(f"<- {craft.describe(datagram)}")
        try:
            packet = craft.Packet(datagram)
        except ValueError as error:
            self.fail(str(error))
        at = 12 if self.ip == 4 else 8
        size = 4 if self.ip == 4 else 16
        source, target = datagram[at:at + size], datagram[at + size:at + 2 * size]
        if (source != ipaddress.ip_address(SORO_IP[self.ip]).packed or
                target != ipaddress.ip_address(PEER_IP[self.ip]).packed or
                packet.qpn != PEER_QPN):
            self.fail("soro sent to somebody else")
        return packet

    def expect_packet(self, name, psn, response, **fields):
        """The next packet is this one; fields are attributes that it must have."""
        packet = self.next_packet()
        wanted = {"psn": self.psn_of(psn, not response), **fields}
        if packet is None:
            self.fail(f"expected {name} psn {psn}, and nothing came")
        if packet.name != name:
            self.fail(f"expected {name} psn {psn}, and {packet.name} came")
        for field, value in wanted.items():
            got = getattr(packet, field)
            if got != value:
                self.fail(f"{name}: {field} is {got!r}, not {value!r}")
        return packet

    def expect_reply(self, syndrome, psn, msn):
        fields = {} if msn is None else {"msn": msn}
        return self.expect_packet("ACK", psn, True, syndrome=syndrome, payload=b"", ackreq=0,
                                  **fields)

    def check_credits(self, packet, credits=None):
        """
        The packet is an ACK that promises no more receives than there are, or the
        credit code named; of an SRQ it promises nothing.
        """
        code = packet.syndrome
        if self.srq:
            if code != craft.NO_CREDITS:
                self.fail(f"{packet.name}: syndrome 0x{code:02x} with an SRQ")
            return packet
        if code >= len(craft.CREDITS) or craft.CREDITS[code] > self.most_receives:
            self.fail(f"{packet.name}: syndrome 0x{code:02x}, and there were "
                      f"{self.most_receives} receives at most")
        self.most_receives = self.receives
        if credits is not None and code != credits:
            self.fail(f"{packet.name}: credit code {code}, not {credits}")
        return packet

    def expect_ack(self, psn, msn=None, credits=None):
        fields = {} if msn is None else {"msn": msn}
        packet = self.expect_packet("ACK", psn, True, payload=b"", ackreq=0, **fields)
        return self.check_credits(packet, credits)

    def expect_nak(self, code, psn, msn=None):
        """A NAK; it is counted."""
        packet = self.expect_reply(craft.nak_syndrome(code), psn, msn)
        self.expect_counters(**{f"nak_{code.lower()}_sent": 1})
        return packet

    def expect_rnr(self, psn, timer=1, msn=None):
        """An RNR NAK; it is counted."""
        packet = self.expect_reply(craft.rnr_syndrome(timer), psn, msn)
        self.expect_counters(rnr_nak_sent=1)
        return packet

    def expect_fatal(self, code, psn, event, msn=None, recv=None):
        """
        The request at psn is refused for good: NAK, event (None: no event), QP in error.
        recv: status of the receive in hand, if one is completed with an error of its own.
        """
        self.expect_nak(code, psn, msn)
        if recv:
            self.expect_recv(recv)
            self.expect_counters(cqe_errors=1)
        if event:
            self.expect_event(event)
        self.expect_state("ERR")

    def expect_read(self, psn, content, msn=None, credits=None):
        """soro answers a READ with all of content."""
        for i, (position, part) in enumerate(self.segments(content)):
            fields = {} if msn is None or position == "MIDDLE" else {"msn": msn}
            packet = self.expect_packet(f"READ_RESPONSE_{position}", psn + i, True, payload=part,
                                        **fields)
            if position != "MIDDLE":
                self.check_credits(packet, credits)

    def expect_atomic(self, psn, value, msn=None, credits=None):
        """soro answers a CMP_SWP or FETCH_ADD with what was there."""
        fields = {} if msn is None else {"msn": msn}
        packet = self.expect_packet("ATOMIC_ACK", psn, True, atomic_ack=value, payload=b"",
                                    **fields)
        return self.check_credits(packet, credits)

    def expect_request(self, name, psn, **fields):
        """soro sends a request packet."""
        return self.expect_packet(name, psn, False, **fields)

    def expect_message(self, kind, psn, content, reth=None, imm=None, se=0, ackreq=None):
        """soro sends a whole SEND or WRITE; on RC its last packet asks for an ACK."""
        parts = self.segments(content)
        prefix = "UC_" if self.transport == "UC" else ""
        if ackreq is None:
            ackreq = int(self.transport == "RC")
        for i, (position, part) in enumerate(parts):
            fields = {"payload": part, "se": 0, "ackreq": 0}
            if kind == "WRITE" and position in ("FIRST", "ONLY"):
                fields["reth"] = reth
            if position in ("LAST", "ONLY"):
                fields["se"], fields["ackreq"] = se, ackreq
                if imm is not None:
                    position += "_IMM"
                    fields["imm"] = imm
            self.expect_request(f"{prefix}{kind}_{position}", psn + i, **fields)
        return len(parts)

    def expect_probes(self, name, psn, answer, **fields):
        """
        soro asks again what became of the packet at psn, before its timeout, more than once
        if answer(), by which the peer tells, takes long. Probes cost no retry.
        """
        self.expect_request(name, psn, **fields)
        answer()
        n = 1
        while True:
            packet = self.next_packet(QUIET_SEC)
            if packet is None:
                break
            n += 1
            if packet.psn != self.psn_of(psn, True):
                self.fail(f"{packet.name} came among the probes")
        self.expect_counters(sent_probes=n, resent_pkts=n)

    def expect_silence(self, seconds=QUIET_SEC):
        packet = self.next_packet(seconds)
        if packet is not None:
            self.fail(f"{packet.name} came, where silence was expected")

    # ---- the application ----

    def sge(self, offset, length, key=None):
        return verbs.Sge(addr=self.lab.address + offset, length=length,
                         lkey=self.key if key is None else key)

    def post_recv(self, length=1024, offset=LANDING, key=None):
        """Returns the wr_id."""
        wr_id = self.next_wr_id
        self.next_wr_id += 1
        self.qp.post_recv(wr_id, [self.sge(offset, length, key)] if length else [])
        self.receives += 1
        self.most_receives = max(self.most_receives, self.receives)
        return wr_id

    def post(self, opcode, content=b"", length=None, offset=SOURCE, remote=(0, 0), imm=0,
             flags=verbs.SIGNALED, key=None, compare_add=0, swap=0, qkey=QKEY):
        """
        The application posts a send request: SENDs and WRITEs of content, READs of
        length bytes to offset. Returns the wr_id.
        """
        wr_id = self.next_wr_id
        self.next_wr_id += 1
        if content:
            self.write_memory(offset, content)
        length = len(content) if length is None else length
        self.note(f"post {opcode}, {length} bytes, wr_id {wr_id}")
        self.qp.post_send(opcode, [self.sge(offset, length, key)] if length else [], wr_id,
                          flags, remote, imm, compare_add, swap, qkey)
        return wr_id

    def post_atomic_write(self, value, remote):
        """The application posts an ATOMIC WRITE of eight bytes. Returns the wr_id."""
        wr_id = self.next_wr_id
        self.next_wr_id += 1
        self.note(f"post ATOMIC_WRITE, wr_id {wr_id}")
        if not self.qp.atomic_write(wr_id, remote, value):
            raise Skip("libibverbs or its provider knows no ATOMIC WRITE")
        return wr_id

    def post_flush(self, remote, length, kind=1, level=0):
        """The application posts a FLUSH. Returns the wr_id."""
        wr_id = self.next_wr_id
        self.next_wr_id += 1
        self.note(f"post FLUSH, wr_id {wr_id}")
        if not self.qp.flush(wr_id, remote, length, kind, level):
            raise Skip("libibverbs or its provider knows no ATOMIC WRITE")
        return wr_id

    def poll(self, recv):
        found = []

        def look():
            wc = self.qp.poll(recv)
            if wc:
                found.append(wc)
            return wc

        self.until(look, lambda: f"no completion of a {'receive' if recv else 'send'}")
        wc = found[0]
        self.note(f"completion of {'receive' if recv else 'send'} {wc.wr_id}: "
                  f"{verbs.STATUSES.get(wc.status, wc.status)}, {wc.byte_len} bytes")
        return wc

    def compare(self, what, got, wanted):
        if wanted is not None and got != wanted:
            self.fail(f"completion: {what} is {got!r}, not {wanted!r}")

    def expect_recv(self, status="SUCCESS", wr_id=None, byte_len=None, opcode=None, imm=None,
                    inv=None):
        """The next completion of a receive; inv: the key that was invalidated."""
        wc = self.poll(True)
        self.receives -= 1
        self.compare("status", verbs.STATUSES.get(wc.status, wc.status), status)
        self.compare("wr_id", wc.wr_id, wr_id)
        self.compare("byte_len", wc.byte_len, byte_len)
        if status == "SUCCESS":
            self.compare("opcode", verbs.WC_OPCODES.get(wc.opcode), opcode or "RECV")
            self.compare("flags", wc.flags & (verbs.WITH_IMM | verbs.WITH_INV),
                         (verbs.WITH_IMM if imm is not None else 0) |
                         (verbs.WITH_INV if inv is not None else 0))
            self.compare("imm", wc.imm, imm if inv is None else inv)
        return wc

    def expect_sent(self, status="SUCCESS", wr_id=None, opcode=None, byte_len=None):
        """The next completion of a send request; errors that are no flush are counted."""
        wc = self.poll(False)
        self.compare("status", verbs.STATUSES.get(wc.status, wc.status), status)
        self.compare("wr_id", wc.wr_id, wr_id)
        self.compare("byte_len", wc.byte_len, byte_len)
        if status == "SUCCESS":
            self.compare("opcode", verbs.WC_OPCODES.get(wc.opcode), opcode)
        elif status != "WR_FLUSH_ERR":
            self.expect_counters(cqe_errors=1)
        return wc

    def expect_no_completion(self):
        for recv in (True, False):
            wc = self.qp.poll(recv)
            if wc:
                self.fail(f"completion of {'receive' if recv else 'send'} {wc.wr_id}: "
                          f"{verbs.STATUSES.get(wc.status, wc.status)}")

    def expect_event(self, name):
        """The next asynchronous event of the QP."""
        found = []

        def look():
            event = self.qp.event()
            if event:
                found.append(event)
            return event

        self.until(look, lambda: f"no event {name}")
        self.note(f"event {found[0]}")
        if found[0] != name:
            self.fail(f"event {found[0]}, not {name}")

    def expect_state(self, name):
        """The QP is in this state, or soon; and in the end, unless another is named."""
        self.until(lambda: self.qp.state() == name,
                   lambda: f"QP is in {self.qp.state()}, not in {name}")
        self.state = name

    def expect_counters(self, **deltas):
        """These counters grow by so much, beyond what was expected before."""
        for name, delta in deltas.items():
            if name not in self.before:
                self.fail(f"there is no counter {name}")
            self.deltas[name] = self.deltas.get(name, 0) + delta
        self.until(lambda: not any(name in deltas for name, _, _ in self.wrong_counters()),
                   lambda: ", ".join(f"{name} grew by {got}, not {wanted}"
                                     for name, got, wanted in self.wrong_counters()))

    def wrong_counters(self):
        now = self.lab.counters.read()
        return [(name, now[name] - self.before[name], self.deltas.get(name, 0)) for name in now
                if not name.startswith(FREE) and
                now[name] - self.before[name] != self.deltas.get(name, 0)]

    def expect_dropped(self, reason, n=1):
        """The packet was dropped for this reason (wire/drop.h), and nothing answers it."""
        self.expect_counters(**{f"drop_{reason}": n})
        self.expect_silence()

    def expect_alive(self, psn, msn=None):
        """The QP still takes the request that it expects, and answers it."""
        self.send("WRITE_ONLY", psn, reth=(0, 0, 0))
        self.expect_ack(psn, msn)

    # ---- UC and UD ----

    def expect_message_taken(self, content, offset=LANDING, **fields):
        """A SEND of the peer has arrived; fields of expect_recv()."""
        self.expect_recv(byte_len=len(content), **fields)
        self.expect_memory(offset, content)

    def expect_datagram(self, content, header, offset=LANDING, source=PEER_QPN, **fields):
        """
        A datagram of the peer has arrived, behind its network header: that of a datagram of
        the peer (IPv6, or IPv4 in the last 20 bytes); fields of expect_recv().
        """
        wc = self.expect_recv(byte_len=GRH_BYTES + len(content), **fields)
        self.compare("GRH flag", wc.flags & verbs.WITH_GRH, verbs.WITH_GRH)
        self.compare("src_qp", wc.src_qp, source)
        header = bytes(header[:20 if header[0] >> 4 == 4 else GRH_BYTES])
        self.expect_memory(offset, bytes(GRH_BYTES - len(header)) + header + content)
        return wc

    def expect_next(self, psn=0, receive=True):
        """
        The QP is alive: the next message arrives, into a receive that is posted now unless
        there is one at LANDING.
        """
        offset = LANDING
        if receive:
            offset += 12000
            self.post_recv(100, offset)
        if self.transport == "UD":
            header = self.send("UD_SEND_ONLY", psn, payload=data(20, 77))
            self.expect_datagram(data(20, 77), header, offset)
        else:
            self.send("UC_SEND_ONLY", psn, payload=data(20, 77))
            self.expect_message_taken(data(20, 77), offset)

    def expect_recv_fault(self, status, wr_id):
        """The receive fails, and the QP with it; nobody else hears of it."""
        self.expect_recv(status, wr_id=wr_id)
        self.expect_counters(cqe_errors=1)
        self.expect_state("ERR")
        self.expect_silence()

    # ---- the end ----

    def finish(self):
        """Whatever the scenario did not say did not happen."""
        self.expect_silence()
        if self.qp:
            self.expect_no_completion()
            event = self.qp.exists and self.qp.event()
            if event:
                self.fail(f"event {event}")
            if self.state:
                self.expect_state(self.state)
        if self.lab.memory[:] != self.shadow:
            wrong = [i for i in range(BUFFER_BYTES) if self.lab.memory[i] != self.shadow[i]]
            self.fail(f"memory changed where it should not: {len(wrong)} bytes from offset "
                      f"{wrong[0]} on")
        self.expect_counters()
        wrong = self.wrong_counters()
        if wrong:
            self.fail(", ".join(f"{name} grew by {got}, not {wanted}"
                                for name, got, wanted in wrong))
