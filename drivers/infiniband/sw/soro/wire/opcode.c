// SPDX-License-Identifier: GPL-2.0
/*
 * The opcode table, both ways: from opcode to row and from operation to opcode.
 *
 * Owns: opcode numbers. Must not know: what an operation does.
 */
#include "opcode.h"

#define PAYLOAD		SORO_HDR_PAYLOAD
#define IMM		SORO_HDR_IMM
#define INV		SORO_HDR_IETH
#define RETH		SORO_HDR_RETH
#define AETH		SORO_HDR_AETH
#define ATOMICETH	SORO_HDR_ATOMICETH
#define ATOMICACK	SORO_HDR_ATOMICACKETH
#define DETH		SORO_HDR_DETH
#define FETH		SORO_HDR_FETH
#define RESERVED	SORO_HDR_CNP

/*
 * IBA 9.2.1, table 38; FLUSH and ATOMIC WRITE from annex A19, CNP from annex
 * A17.9. Opcode, transport, kind, position, headers, name.
 */
#define OPCODES(X)									\
	X(0x00, RC, SEND,	  FIRST,  PAYLOAD,		"RC SEND_FIRST")	\
	X(0x01, RC, SEND,	  MIDDLE, PAYLOAD,		"RC SEND_MIDDLE")	\
	X(0x02, RC, SEND,	  LAST,	  PAYLOAD,		"RC SEND_LAST")		\
	X(0x03, RC, SEND,	  LAST,	  IMM | PAYLOAD,	"RC SEND_LAST_IMM")	\
	X(0x04, RC, SEND,	  ONLY,	  PAYLOAD,		"RC SEND_ONLY")		\
	X(0x05, RC, SEND,	  ONLY,	  IMM | PAYLOAD,	"RC SEND_ONLY_IMM")	\
	X(0x06, RC, WRITE,	  FIRST,  RETH | PAYLOAD,	"RC WRITE_FIRST")	\
	X(0x07, RC, WRITE,	  MIDDLE, PAYLOAD,		"RC WRITE_MIDDLE")	\
	X(0x08, RC, WRITE,	  LAST,	  PAYLOAD,		"RC WRITE_LAST")	\
	X(0x09, RC, WRITE,	  LAST,	  IMM | PAYLOAD,	"RC WRITE_LAST_IMM")	\
	X(0x0a, RC, WRITE,	  ONLY,	  RETH | PAYLOAD,	"RC WRITE_ONLY")	\
	X(0x0b, RC, WRITE,	  ONLY,	  RETH | IMM | PAYLOAD,	"RC WRITE_ONLY_IMM")	\
	X(0x0c, RC, READ_REQ,	  ONLY,	  RETH,			"RC READ_REQUEST")	\
	X(0x0d, RC, READ_RESP,	  FIRST,  AETH | PAYLOAD,	"RC READ_RESP_FIRST")	\
	X(0x0e, RC, READ_RESP,	  MIDDLE, PAYLOAD,		"RC READ_RESP_MIDDLE")	\
	X(0x0f, RC, READ_RESP,	  LAST,	  AETH | PAYLOAD,	"RC READ_RESP_LAST")	\
	X(0x10, RC, READ_RESP,	  ONLY,	  AETH | PAYLOAD,	"RC READ_RESP_ONLY")	\
	X(0x11, RC, ACK,	  ONLY,	  AETH,			"RC ACK")		\
	X(0x12, RC, ATOMIC_ACK,	  ONLY,	  AETH | ATOMICACK,	"RC ATOMIC_ACK")	\
	X(0x13, RC, CMP_SWP,	  ONLY,	  ATOMICETH,		"RC CMP_SWP")		\
	X(0x14, RC, FETCH_ADD,	  ONLY,	  ATOMICETH,		"RC FETCH_ADD")		\
	X(0x16, RC, SEND,	  LAST,	  INV | PAYLOAD,	"RC SEND_LAST_INV")	\
	X(0x17, RC, SEND,	  ONLY,	  INV | PAYLOAD,	"RC SEND_ONLY_INV")	\
	X(0x1c, RC, FLUSH,	  ONLY,	  FETH | RETH,		"RC FLUSH")		\
	X(0x1d, RC, ATOMIC_WRITE, ONLY,	  RETH | PAYLOAD,	"RC ATOMIC_WRITE")	\
	X(0x20, UC, SEND,	  FIRST,  PAYLOAD,		"UC SEND_FIRST")	\
	X(0x21, UC, SEND,	  MIDDLE, PAYLOAD,		"UC SEND_MIDDLE")	\
	X(0x22, UC, SEND,	  LAST,	  PAYLOAD,		"UC SEND_LAST")		\
	X(0x23, UC, SEND,	  LAST,	  IMM | PAYLOAD,	"UC SEND_LAST_IMM")	\
	X(0x24, UC, SEND,	  ONLY,	  PAYLOAD,		"UC SEND_ONLY")		\
	X(0x25, UC, SEND,	  ONLY,	  IMM | PAYLOAD,	"UC SEND_ONLY_IMM")	\
	X(0x26, UC, WRITE,	  FIRST,  RETH | PAYLOAD,	"UC WRITE_FIRST")	\
	X(0x27, UC, WRITE,	  MIDDLE, PAYLOAD,		"UC WRITE_MIDDLE")	\
	X(0x28, UC, WRITE,	  LAST,	  PAYLOAD,		"UC WRITE_LAST")	\
	X(0x29, UC, WRITE,	  LAST,	  IMM | PAYLOAD,	"UC WRITE_LAST_IMM")	\
	X(0x2a, UC, WRITE,	  ONLY,	  RETH | PAYLOAD,	"UC WRITE_ONLY")	\
	X(0x2b, UC, WRITE,	  ONLY,	  RETH | IMM | PAYLOAD,	"UC WRITE_ONLY_IMM")	\
	X(0x64, UD, SEND,	  ONLY,	  DETH | PAYLOAD,	"UD SEND_ONLY")		\
	X(0x65, UD, SEND,	  ONLY,	  DETH | IMM | PAYLOAD,	"UD SEND_ONLY_IMM")	\
	X(0x81, CNP_T, CNP,	  ONLY,	  RESERVED,		"CNP")

#define IS_RESPONSE(kind)						\
	((kind) == SORO_READ_RESP || (kind) == SORO_ACK || (kind) == SORO_ATOMIC_ACK)

#define HDR(hdrs, name)	((hdrs) & SORO_HDR_##name ? SORO_##name##_BYTES : 0)
#define HDR_BYTES(hdrs)							\
	(SORO_BTH_BYTES + HDR(hdrs, DETH) + HDR(hdrs, FETH) + HDR(hdrs, RETH) +	\
	 HDR(hdrs, ATOMICETH) + HDR(hdrs, AETH) + HDR(hdrs, ATOMICACKETH) +	\
	 HDR(hdrs, IMM) + HDR(hdrs, IETH) + HDR(hdrs, CNP))

#define ROW(opcode, trans, knd, position, hdrs, str)			\
	[opcode] = {							\
		.kind = SORO_##knd,					\
		.pos = SORO_##position,					\
		.transport = SORO_##trans,				\
		.response = IS_RESPONSE(SORO_##knd),			\
		.hdr_bytes = HDR_BYTES(hdrs),				\
		.headers = hdrs,					\
		.name = str,						\
	},

const struct soro_opcode_row soro_opcode_table[256] = {
	OPCODES(ROW)
};

/* What, besides kind and position, tells two opcodes of an operation apart. */
#define VARIANT(headers)	((headers) & IMM ? 1 : (headers) & INV ? 2 : 0)
#define VARIANTS		3

/* Kept inverted, so that a hole reads as SORO_OPCODE_NONE. */
#define MAKE(opcode, trans, knd, position, hdrs, str)			\
	[SORO_##trans][SORO_##knd][SORO_##position][VARIANT(hdrs)] = SORO_OPCODE_NONE ^ (opcode),

static const u8 inverted[SORO_TRANSPORT_COUNT][SORO_KIND_COUNT][SORO_ONLY + 1][VARIANTS] = {
	OPCODES(MAKE)
};

/**
 * soro_opcode_make() - the opcode of an operation
 * @transport: enum soro_transport
 * @kind: enum soro_kind
 * @pos: enum soro_pos
 * @headers: SORO_HDR_IMM, SORO_HDR_IETH or neither; other bits are ignored
 *
 * Return: the opcode, or %SORO_OPCODE_NONE when there is none.
 */
u8 soro_opcode_make(u8 transport, u8 kind, u8 pos, u16 headers)
{
	if (transport >= SORO_TRANSPORT_COUNT || kind >= SORO_KIND_COUNT || pos > SORO_ONLY)
		return SORO_OPCODE_NONE;
	if ((headers & IMM) && (headers & INV))
		return SORO_OPCODE_NONE;
	return SORO_OPCODE_NONE ^ inverted[transport][kind][pos][VARIANT(headers)];
}
