/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The opcode table: what each BTH opcode is and which headers it carries.
 *
 * Owns: opcode numbers, everywhere else only kind, position and header bits
 * are asked for. Must not know: what an operation does.
 */
#ifndef SORO_WIRE_OPCODE_H
#define SORO_WIRE_OPCODE_H

#include <linux/types.h>
#include <linux/bits.h>

/** enum soro_kind - the operation a packet belongs to (IBA table 38 and annexes 17 and 19) */
enum soro_kind {
	SORO_SEND,
	SORO_WRITE,
	SORO_READ_REQ,
	SORO_READ_RESP,
	SORO_ACK,
	SORO_ATOMIC_ACK,
	SORO_CMP_SWP,
	SORO_FETCH_ADD,
	SORO_ATOMIC_WRITE,
	SORO_FLUSH,
	SORO_CNP,
	SORO_KIND_COUNT
};

/** enum soro_pos - position of a packet in its message; two bits, tested one by one */
enum soro_pos {
	SORO_MIDDLE	= 0,
	SORO_FIRST	= 1,
	SORO_LAST	= 2,
	SORO_ONLY	= SORO_FIRST | SORO_LAST,
};

/** enum soro_transport - bits 7-5 of the opcode */
enum soro_transport {
	SORO_RC		= 0,
	SORO_UC		= 1,
	SORO_UD		= 3,
	SORO_CNP_T	= 4,
	SORO_TRANSPORT_COUNT
};

/* Headers after the BTH, in the order in which they stand on the wire. */
#define SORO_HDR_DETH		BIT(0)
#define SORO_HDR_FETH		BIT(1)
#define SORO_HDR_RETH		BIT(2)
#define SORO_HDR_ATOMICETH	BIT(3)
#define SORO_HDR_AETH		BIT(4)
#define SORO_HDR_ATOMICACKETH	BIT(5)
#define SORO_HDR_IMM		BIT(6)
#define SORO_HDR_IETH		BIT(7)
#define SORO_HDR_CNP		BIT(8)	/* 16 reserved bytes, IBA A17.9.3 */
#define SORO_HDR_PAYLOAD	BIT(9)	/* payload allowed; no header bytes */

#define SORO_BTH_BYTES		12
#define SORO_DETH_BYTES		8
#define SORO_FETH_BYTES		4
#define SORO_RETH_BYTES		16
#define SORO_ATOMICETH_BYTES	28
#define SORO_AETH_BYTES		4
#define SORO_ATOMICACKETH_BYTES	8
#define SORO_IMM_BYTES		4
#define SORO_IETH_BYTES		4
#define SORO_CNP_BYTES		16

#define SORO_OPCODE_NONE	0xff	/* no such opcode; 0xff itself is vendor specific */

/**
 * struct soro_opcode_row - what one opcode is
 * @kind: enum soro_kind
 * @pos: enum soro_pos
 * @transport: enum soro_transport
 * @response: goes from responder to requester
 * @hdr_bytes: length of BTH and extension headers
 * @headers: SORO_HDR_* bits
 * @name: for traces, as in "RC SEND_FIRST"; NULL in rows that are no opcode
 */
struct soro_opcode_row {
	u8 kind;
	u8 pos;
	u8 transport;
	bool response;
	u8 hdr_bytes;
	u16 headers;
	const char *name;
};

extern const struct soro_opcode_row soro_opcode_table[256];

/**
 * soro_opcode_row() - the row of an opcode
 * @opcode: opcode byte of a BTH
 *
 * Return: the row, or NULL when the opcode is reserved, vendor specific or of
 * a transport that soro does not speak (RD, XRC).
 */
static inline const struct soro_opcode_row *soro_opcode_row(u8 opcode)
{
	const struct soro_opcode_row *row = &soro_opcode_table[opcode];

	return row->name ? row : NULL;
}

/**
 * soro_opcode_hdr_bytes() - length of BTH and extension headers
 * @row: row of the opcode
 *
 * Return: bytes from the BTH to the payload.
 */
static inline unsigned int soro_opcode_hdr_bytes(const struct soro_opcode_row *row)
{
	return row->hdr_bytes;
}

u8 soro_opcode_make(u8 transport, u8 kind, u8 pos, u16 headers);

#endif
