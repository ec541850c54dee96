/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why a received packet was dropped without an answer.
 *
 * Owns: the one list of reasons; counters and trace strings are generated
 * from it. Must not know: who counts.
 */
#ifndef SORO_WIRE_DROP_H
#define SORO_WIRE_DROP_H

/**
 * SORO_DROP_REASONS() - call @X(NAME, counter, meaning) once per reason
 * @X: macro of three arguments: suffix of the enum constant, name of the
 *     counter, one line for people
 *
 * SORO_DROP_NONE is not in the list: a packet that is kept has no counter.
 */
#define SORO_DROP_REASONS(X)									\
	X(SHORT, "drop_short", "shorter than its headers, pad and ICRC")			\
	X(LENGTH, "drop_length", "payload length not allowed for the opcode")			\
	X(PAD, "drop_pad", "pad count contradicts the length or the opcode")			\
	X(OPCODE, "drop_opcode", "opcode reserved or of no supported transport")		\
	X(TVER, "drop_tver", "transport version is not 0")					\
	X(SYNDROME, "drop_syndrome", "AETH syndrome reserved or wrong for the opcode")		\
	X(ICRC, "drop_icrc", "invariant CRC does not match")					\
	X(NO_QP, "drop_no_qp", "no QP of that number here")					\
	X(QP_TYPE, "drop_qp_type", "opcode of another transport than the QP's")			\
	X(QP_STATE, "drop_qp_state", "state of the QP does not receive")			\
	X(QKEY, "drop_qkey", "queue key of a datagram is not the QP's")				\
	X(NO_RECV, "drop_no_recv", "no receive posted, and the transport has no retries")	\
	X(REFUSED, "drop_refused", "request in error, and the transport has no NAKs")		\
	X(PKEY, "drop_pkey", "partition key does not match")					\
	X(ADDRESS, "drop_address", "addresses are not those of the connection")			\
	X(MULTICAST, "drop_multicast", "multicast address and QP number do not agree")		\
	X(FRAGMENT, "drop_fragment", "IP fragment, IP options or unreadable datagram")		\
	X(MIXED_TRAIN, "drop_mixed_train", "packets of one train differ in QP or direction")	\
	X(INBOX_FULL, "drop_inbox_full", "inbox of the QP is full")				\
	X(STALE, "drop_stale", "ghost, or acknowledgment of what is not outstanding")		\
	X(SEQUENCE, "drop_sequence", "beyond a gap whose NAK has been sent")			\
	X(DUPLICATE_BAD, "drop_duplicate_bad",							\
	  "duplicate that matches no executed request, or READ whose memory is gone")

/**
 * enum soro_drop - reason of a drop; 0 (SORO_DROP_NONE) means keep
 *
 * The constants are SORO_DROP_NONE and one per row of SORO_DROP_REASONS();
 * SORO_DROP_COUNT is the number of constants, SORO_DROP_NONE included.
 */
enum soro_drop {
	SORO_DROP_NONE = 0,
#define SORO_DROP_ENUM(name, counter, meaning)	SORO_DROP_##name,
	SORO_DROP_REASONS(SORO_DROP_ENUM)
#undef SORO_DROP_ENUM
	SORO_DROP_COUNT
};

#endif
