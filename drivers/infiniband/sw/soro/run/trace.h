/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the tracepoints, system "soro".  Nothing is printed in the packet
 * path; these are how it is seen into.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM soro

#if !defined(SORO_RUN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SORO_RUN_TRACE_H

#include <linux/tracepoint.h>
#include <soro_trace.h>
#include "../wire/drop.h"
#include "../wire/packet.h"

#define SORO_DROP_SYMBOL(name, counter, text) { SORO_DROP_##name, counter },

TRACE_EVENT(soro_rx,
	TP_PROTO(u32 qpn, const struct soro_pkt *pkt, u32 index),
	TP_ARGS(qpn, pkt, index),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, index)
		__field(u16, payload)
		__field(u8, opcode)
		__field(u8, syndrome)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->psn = pkt->psn;
		__entry->index = index;
		__entry->payload = pkt->payload_len;
		__entry->opcode = pkt->opcode;
		__entry->syndrome = pkt->row->headers & SORO_HDR_AETH ? pkt->syndrome : 0;
	),
	TP_printk("qpn=%u opcode=0x%02x psn=%u payload=%u syndrome=0x%02x index=%u",
		  __entry->qpn, __entry->opcode, __entry->psn, __entry->payload,
		  __entry->syndrome, __entry->index)
);

TRACE_EVENT(soro_tx,
	TP_PROTO(u32 qpn, u32 dest_qpn, u8 kind, u32 psn, u32 packets, u32 bytes, bool resend,
		 int result),
	TP_ARGS(qpn, dest_qpn, kind, psn, packets, bytes, resend, result),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, dest_qpn)
		__field(u32, psn)
		__field(u32, packets)
		__field(u32, bytes)
		__field(int, result)
		__field(u8, kind)
		__field(bool, resend)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->dest_qpn = dest_qpn;
		__entry->psn = psn;
		__entry->packets = packets;
		__entry->bytes = bytes;
		__entry->result = result;
		__entry->kind = kind;
		__entry->resend = resend;
	),
	TP_printk("qpn=%u dest=%u kind=%u psn=%u packets=%u payload=%u resend=%d result=%d",
		  __entry->qpn, __entry->dest_qpn, __entry->kind, __entry->psn,
		  __entry->packets, __entry->bytes, __entry->resend, __entry->result)
);

TRACE_EVENT(soro_drop,
	TP_PROTO(u32 qpn, u32 psn, u8 why),
	TP_ARGS(qpn, psn, why),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u8, why)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->psn = psn;
		__entry->why = why;
	),
	TP_printk("qpn=%u psn=%u reason=%s", __entry->qpn, __entry->psn,
		  __print_symbolic(__entry->why, SORO_DROP_REASONS(SORO_DROP_SYMBOL) { 0, "none" }))
);

TRACE_EVENT(soro_verdict,
	TP_PROTO(u32 qpn, u32 psn, u32 n, u8 verdict, u8 need, u8 fault),
	TP_ARGS(qpn, psn, n, verdict, need, fault),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, n)
		__field(u8, verdict)
		__field(u8, need)
		__field(u8, fault)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->psn = psn;
		__entry->n = n;
		__entry->verdict = verdict;
		__entry->need = need;
		__entry->fault = fault;
	),
	TP_printk("qpn=%u psn=%u packets=%u verdict=%s need=%s%s fault=%u",
		  __entry->qpn, __entry->psn, __entry->n,
		  __print_symbolic(__entry->verdict, { 0, "execute" }, { 1, "answer" },
				   { 2, "hold" }, { 3, "drop" }),
		  __entry->need & 1 ? "r" : "-", __entry->need & 2 ? "k" : "-", __entry->fault)
);

TRACE_EVENT(soro_qp_state,
	TP_PROTO(u32 qpn, u8 from, u8 to, const char *why),
	TP_ARGS(qpn, from, to, why),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u8, from)
		__field(u8, to)
		__string(why, why)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->from = from;
		__entry->to = to;
		soro_assign_str(why);
	),
	TP_printk("qpn=%u %u -> %u (%s)", __entry->qpn, __entry->from, __entry->to,
		  __get_str(why))
);

TRACE_EVENT(soro_retry,
	TP_PROTO(u32 qpn, u32 una, u32 nxt, u8 retry_left, u8 rnr_left, const char *why),
	TP_ARGS(qpn, una, nxt, retry_left, rnr_left, why),
	TP_STRUCT__entry(
		__field(u32, qpn)
		__field(u32, una)
		__field(u32, nxt)
		__field(u8, retry_left)
		__field(u8, rnr_left)
		__string(why, why)
	),
	TP_fast_assign(
		__entry->qpn = qpn;
		__entry->una = una;
		__entry->nxt = nxt;
		__entry->retry_left = retry_left;
		__entry->rnr_left = rnr_left;
		soro_assign_str(why);
	),
	TP_printk("qpn=%u una=%u nxt=%u retry_left=%u rnr_left=%u (%s)",
		  __entry->qpn, __entry->una, __entry->nxt, __entry->retry_left,
		  __entry->rnr_left, __get_str(why))
);

TRACE_EVENT(soro_completion,
	TP_PROTO(u32 qpn, bool send, u64 wr_id, u8 status, u8 opcode, u32 bytes),
	TP_ARGS(qpn, send, wr_id, status, opcode, bytes),
	TP_STRUCT__entry(
		__field(u64, wr_id)
		__field(u32, qpn)
		__field(u32, bytes)
		__field(u8, status)
		__field(u8, opcode)
		__field(bool, send)
	),
	TP_fast_assign(
		__entry->wr_id = wr_id;
		__entry->qpn = qpn;
		__entry->bytes = bytes;
		__entry->status = status;
		__entry->opcode = opcode;
		__entry->send = send;
	),
	TP_printk("qpn=%u %s wr_id=0x%llx status=%u opcode=%u bytes=%u", __entry->qpn,
		  __entry->send ? "send" : "recv", __entry->wr_id, __entry->status,
		  __entry->opcode, __entry->bytes)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
