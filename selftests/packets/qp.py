# SPDX-License-Identifier: GPL-2.0
"""
Live soro queue pairs: libsoro_qp.so (live_qp.c) in Python, and the device's counters.

Owns no test. Layouts mirror live_qp.c.
"""

import ctypes
import errno
import socket
import struct

RESET, INIT, RTR, RTS, SQD, SQE, ERR = range(7)
STATES = ["RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"]

STATUSES = {
    0: "SUCCESS", 1: "LOC_LEN_ERR", 2: "LOC_QP_OP_ERR", 4: "LOC_PROT_ERR", 5: "WR_FLUSH_ERR",
    6: "MW_BIND_ERR", 7: "BAD_RESP_ERR", 8: "LOC_ACCESS_ERR", 9: "REM_INV_REQ_ERR",
    10: "REM_ACCESS_ERR", 11: "REM_OP_ERR", 12: "RETRY_EXC_ERR", 13: "RNR_RETRY_EXC_ERR",
}
EVENTS = {1: "QP_FATAL", 2: "QP_REQ_ERR", 3: "QP_ACCESS_ERR", 4: "COMM_EST", 5: "SQ_DRAINED",
          16: "QP_LAST_WQE_REACHED"}
WR_OPCODES = {
    "WRITE": 0, "WRITE_IMM": 1, "SEND": 2, "SEND_IMM": 3, "READ": 4, "CMP_SWP": 5,
    "FETCH_ADD": 6, "LOCAL_INV": 7, "SEND_INV": 9,
}
WC_OPCODES = {
    0: "SEND", 1: "WRITE", 2: "READ", 3: "CMP_SWP", 4: "FETCH_ADD", 5: "BIND_MW", 6: "LOCAL_INV",
    8: "FLUSH", 9: "ATOMIC_WRITE", 128: "RECV", 129: "RECV_RDMA_WITH_IMM",
}
FENCE, SIGNALED, SOLICITED, INLINE = 1, 2, 4, 8
WITH_GRH, WITH_IMM, WITH_INV = 1, 2, 8
TYPES = {"RC": 2, "UC": 3, "UD": 4}
LOCAL_WRITE, REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC = 1, 2, 4, 8
MW_BIND, FLUSH_GLOBAL, FLUSH_PERSISTENT = 16, 256, 512
ALL_ACCESS = LOCAL_WRITE | REMOTE_WRITE | REMOTE_READ | REMOTE_ATOMIC

SGE_MAX = 4


class Opts(ctypes.Structure):
    _fields_ = [("dgid", ctypes.c_uint8 * 16)] + [(name, ctypes.c_uint32) for name in (
        "sgid_index", "path_mtu", "dest_qpn", "rq_psn", "sq_psn",
        "timeout", "retry_cnt", "rnr_retry", "min_rnr_timer",
        "rd_atomic", "dest_rd_atomic", "access",
        "send_wr", "recv_wr", "sge", "hop_limit", "traffic_class", "type", "qkey", "srq")]


class Sge(ctypes.Structure):
    _fields_ = [("addr", ctypes.c_uint64), ("length", ctypes.c_uint32), ("lkey", ctypes.c_uint32)]


class Send(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in (
        "wr_id", "remote_addr", "compare_add", "swap")] + [(name, ctypes.c_uint32) for name in (
            "opcode", "flags", "rkey", "imm", "num_sge", "remote_qkey")] + [("sge", Sge * SGE_MAX)]


class Wc(ctypes.Structure):
    _fields_ = [("wr_id", ctypes.c_uint64)] + [(name, ctypes.c_uint32) for name in (
        "status", "opcode", "byte_len", "flags", "imm", "src_qp")]


def check(result, what):
    if result < 0:
        raise OSError(-result, f"{what}: {errno.errorcode.get(-result, result)}")
    return result


class Device:
    """The opened device."""

    def __init__(self, library, name):
        self.lib = ctypes.CDLL(library)
        self.lib.live_reg.restype = self.lib.live_create.restype = ctypes.c_void_p
        self.lib.live_alloc_mw.restype = ctypes.c_void_p
        self.lib.live_qpn.restype = ctypes.c_uint32
        check(self.lib.live_open(name.encode()), f"open {name}")

    def gid_index(self, gid):
        """Index of the RoCEv2 GID, None if the device has it not."""
        found = self.lib.live_gid_index((ctypes.c_uint8 * 16)(*gid))
        return None if found < 0 else found

    def register(self, address, length, access, stranger=False):
        """A memory region; of another protection domain than the QPs' for a stranger."""
        key = ctypes.c_uint32()
        mr = self.lib.live_reg(int(stranger), ctypes.c_void_p(address), ctypes.c_size_t(length),
                               access, ctypes.byref(key))
        if not mr:
            raise OSError("register memory")
        return Region(self, mr, address, length, key.value)


    def window(self, kind, stranger=False):
        """A memory window of type 1 or 2, not bound."""
        key = ctypes.c_uint32()
        mw = self.lib.live_alloc_mw(int(stranger), kind, ctypes.byref(key))
        if not mw:
            raise OSError("allocate memory window")
        return Window(self, mw, key.value)


class Window:
    """A memory window."""

    def __init__(self, device, mw, key):
        self.device, self.mw, self.key = device, mw, key

    def deallocate(self):
        check(self.device.lib.live_dealloc_mw(ctypes.c_void_p(self.mw)), "deallocate window")


class Region:
    """A memory region; its key is both, local and remote."""

    def __init__(self, device, mr, address, length, key):
        self.device, self.mr, self.address, self.length, self.key = (device, mr, address, length,
                                                                     key)

    def deregister(self):
        check(self.device.lib.live_dereg(ctypes.c_void_p(self.mr)), "deregister")


class Qp:
    """A queue pair with completion queues of its own, in RESET."""

    def __init__(self, device, opts):
        self.lib = device.lib
        self.qp = self.lib.live_create(ctypes.byref(opts))
        if not self.qp:
            raise OSError("create QP")
        self.qp = ctypes.c_void_p(self.qp)
        self.number = self.lib.live_qpn(self.qp)
        self.exists = True

    def modify(self, state):
        check(self.lib.live_modify(self.qp, state), f"modify to {STATES[state]}")

    def set_state(self, state):
        check(self.lib.live_set_state(self.qp, state), f"modify to {STATES[state]}, no more")

    def state(self):
        return STATES[check(self.lib.live_state(self.qp), "query QP")]

    def post_recv(self, wr_id, sges):
        check(self.lib.live_post_recv(self.qp, ctypes.c_uint64(wr_id),
                                      (Sge * SGE_MAX)(*sges), len(sges)), "post_recv")

    def post_send(self, opcode, sges, wr_id=0, flags=SIGNALED, remote=(0, 0), imm=0,
                  compare_add=0, swap=0, qkey=0):
        send = Send(wr_id=wr_id, remote_addr=remote[0], rkey=remote[1], imm=imm,
                    compare_add=compare_add, swap=swap, opcode=WR_OPCODES[opcode], flags=flags,
                    num_sge=len(sges), remote_qkey=qkey, sge=(Sge * SGE_MAX)(*sges))
        check(self.lib.live_post_send(self.qp, ctypes.byref(send)), "post_send")

    def bind(self, wr_id, window, region, offset, length, access):
        """Post a bind; the window has its new key at once."""
        key = ctypes.c_uint32()
        check(self.lib.live_bind(self.qp, ctypes.c_uint64(wr_id), ctypes.c_void_p(window.mw),
                                 ctypes.c_void_p(region.mr),
                                 ctypes.c_uint64(region.address + offset),
                                 ctypes.c_uint64(length), access, ctypes.byref(key)), "bind")
        window.key = key.value

    def atomic_write(self, wr_id, remote, value):
        """False if the provider knows no ATOMIC WRITE."""
        result = self.lib.live_atomic_write(self.qp, ctypes.c_uint64(wr_id),
                                            ctypes.c_uint64(remote[0]), remote[1], value)
        if result == -errno.EOPNOTSUPP:
            return False
        check(result, "post ATOMIC WRITE")
        return True

    def flush(self, wr_id, remote, length, kind, level):
        """False if the provider knows no ATOMIC WRITE, which a FLUSH is made of."""
        result = self.lib.live_flush(self.qp, ctypes.c_uint64(wr_id), ctypes.c_uint64(remote[0]),
                                     remote[1], length, kind, level)
        if result == -errno.EOPNOTSUPP:
            return False
        check(result, "post FLUSH")
        return True

    def poll(self, recv):
        """The next completion, or None."""
        wc = Wc()
        found = check(self.lib.live_poll(self.qp, int(recv), ctypes.byref(wc)), "poll")
        return wc if found else None

    def event(self):
        """The name of the next asynchronous event, or None."""
        event = self.lib.live_event(self.qp)
        return None if event < 0 else EVENTS.get(event, f"event {event}")

    def arm(self, solicited_only):
        check(self.lib.live_arm(self.qp, int(solicited_only)), "req_notify_cq")

    def cq_event(self):
        return bool(self.lib.live_cq_event(self.qp))

    def attach(self, group, attach=True):
        """Join a multicast group, given as the bytes of its GID, or leave it."""
        check(self.lib.live_attach(self.qp, (ctypes.c_uint8 * 16)(*group), int(attach)),
              "attach to a group" if attach else "detach from a group")

    def destroy(self):
        """The QP alone; its completion queues stay until close()."""
        self.exists = False
        check(self.lib.live_destroy_qp(self.qp), "destroy QP")

    def close(self):
        self.lib.live_destroy(self.qp)


class Counters:
    """
    All counters of a device in one system call. The files in sysfs show values that
    may be 10 ms old; what `rdma statistic` asks the kernel does not.
    """

    NETLINK_RDMA, NLDEV = 20, 5
    STAT_GET, REQUEST = 17, 1
    DEV_INDEX, PORT_INDEX, HWCOUNTERS, NAME, VALUE = 1, 3, 80, 82, 83
    TYPE_MASK = 0x3fff

    def __init__(self, dev_index):
        self.socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, self.NETLINK_RDMA)
        self.socket.bind((0, 0))
        body = struct.pack("=HHIHHI", 8, self.DEV_INDEX, dev_index, 8, self.PORT_INDEX, 1)
        self.request = struct.pack("=IHHII", 16 + len(body), self.NLDEV << 10 | self.STAT_GET,
                                   self.REQUEST, 1, 0) + body

    @staticmethod
    def attributes(data):
        while len(data) >= 4:
            length, kind = struct.unpack_from("=HH", data)
            yield kind & Counters.TYPE_MASK, data[4:length]
            data = data[length + 3 & ~3:]

    def read(self):
        """Values by name."""
        self.socket.send(self.request)
        answer = self.socket.recv(65536)
        length, kind = struct.unpack_from("=IH", answer)
        if kind != self.NLDEV << 10 | self.STAT_GET:
            raise OSError(f"netlink answers with type {kind:#x}")
        values = {}
        for kind, table in self.attributes(answer[16:length]):
            if kind != self.HWCOUNTERS:
                continue
            for _, entry in self.attributes(table):
                fields = dict(self.attributes(entry))
                name = fields[self.NAME].rstrip(b"\0").decode()
                values[name] = struct.unpack("=Q", fields[self.VALUE][:8])[0]
        return values
