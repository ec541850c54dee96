/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: the list of what a device counts.  A counter is one row here; its
 * name, its place in `rdma statistic` and its storage follow from it.
 */
#ifndef SORO_RUN_COUNTERS_H
#define SORO_RUN_COUNTERS_H

#include <linux/percpu.h>
#include <linux/types.h>
#include "../wire/drop.h"

/* X(NAME, "name in rdma statistic") */
#define SORO_COUNTERS(X)				\
	X(SENT_PKTS,		"sent_pkts")		\
	X(SENT_BYTES,		"sent_bytes")		\
	X(SENT_TRAINS,		"sent_trains")		\
	X(SENT_MULTICAST,	"sent_multicast_pkts")	\
	X(RCVD_PKTS,		"rcvd_pkts")		\
	X(RCVD_BYTES,		"rcvd_bytes")		\
	X(RCVD_TRAINS,		"rcvd_trains")		\
	X(RCVD_MULTICAST,	"rcvd_multicast_pkts")	\
	X(SEND_COMPLETIONS,	"rdma_sends")		\
	X(RECV_COMPLETIONS,	"rdma_recvs")		\
	X(CQE_ERRORS,		"cqe_errors")		\
	X(DUPLICATES,		"duplicate_request")	\
	X(NAK_SEQUENCE_SENT,	"nak_sequence_sent")	\
	X(NAK_INVALID_SENT,	"nak_invalid_sent")	\
	X(NAK_ACCESS_SENT,	"nak_access_sent")	\
	X(NAK_OPERATION_SENT,	"nak_operation_sent")	\
	X(RNR_SENT,		"rnr_nak_sent")		\
	X(NAK_SEQUENCE_RCVD,	"nak_sequence_rcvd")	\
	X(NAK_INVALID_RCVD,	"nak_invalid_rcvd")	\
	X(NAK_ACCESS_RCVD,	"nak_access_rcvd")	\
	X(NAK_OPERATION_RCVD,	"nak_operation_rcvd")	\
	X(RNR_RCVD,		"rnr_nak_rcvd")		\
	X(IMPLIED_NAK,		"implied_nak_seq_err")	\
	X(TIMEOUTS,		"local_ack_timeout_err")	\
	X(RESENT_PKTS,		"resent_pkts")		\
	X(PROBES,		"sent_probes")		\
	X(PATH_MARKS,		"path_marked_singles")	\
	X(HELD_TRAINS,		"held_trains")		\
	X(RETRY_EXCEEDED,	"retry_exceeded_err")	\
	X(RNR_EXCEEDED,		"retry_rnr_exceeded_err")	\
	X(ECN_MARKED,		"np_ecn_marked_roce_packets")	\
	X(CNP_SENT,		"np_cnp_sent")		\
	X(CNP_HANDLED,		"rp_cnp_handled")	\
	X(XMIT_ERRORS,		"xmit_errors")		\
	X(NO_BUFFER,		"xmit_no_memory")

/** enum soro_counter - index of a counter; drop reasons follow the rest */
enum soro_counter {
#define SORO_COUNTER_ENUM(name, text) SORO_CTR_##name,
	SORO_COUNTERS(SORO_COUNTER_ENUM)
#undef SORO_COUNTER_ENUM
	SORO_CTR_DROP_BASE,	/* + enum soro_drop - 1 */
	SORO_CTR_COUNT = SORO_CTR_DROP_BASE + SORO_DROP_COUNT - 1
};

/**
 * struct soro_counters - a set of counters, as a rule per CPU
 * @value: indexed by enum soro_counter
 */
struct soro_counters {
	u64 value[SORO_CTR_COUNT];
};

/**
 * soro_counters_add() - add to a counter
 * @ctrs: the set
 * @which: the counter
 * @n: how much
 *
 * Context: any.
 */
static inline void soro_counters_add(struct soro_counters __percpu *ctrs, enum soro_counter which,
				     u64 n)
{
	this_cpu_add(ctrs->value[which], n);
}

/**
 * soro_counters_drop() - count dropped packets by their reason
 * @ctrs: the set
 * @why: the reason
 * @n: packets
 */
static inline void soro_counters_drop(struct soro_counters __percpu *ctrs, enum soro_drop why,
				      u32 n)
{
	if (why != SORO_DROP_NONE)
		soro_counters_add(ctrs, SORO_CTR_DROP_BASE + why - 1, n);
}

#endif
