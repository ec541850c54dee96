/* SPDX-License-Identifier: GPL-2.0 */
/* Owns: how completions look to the application. */
#ifndef SORO_RUN_COMPLETE_H
#define SORO_RUN_COMPLETE_H

#include "qp.h"

/**
 * struct soro_received - what a receive completion says about a message
 * @bytes: length, with the 40 bytes of the GRH area of a datagram
 * @imm: immediate data as on the wire, if @has_imm
 * @inv_rkey: key that was invalidated, if @has_inv
 * @src_qpn: QP that sent it
 * @vlan_id: of the destination address, if @has_vlan
 * @is_write: a WRITE with immediate
 * @has_imm: see @imm
 * @has_inv: see @inv_rkey
 * @solicited: the sender asks for an event
 * @has_grh: the GRH area is filled
 * @has_vlan: see @vlan_id
 * @v6: kind of the header in the GRH area
 */
struct soro_received {
	u32 bytes;
	__be32 imm;
	u32 inv_rkey;
	u32 src_qpn;
	u16 vlan_id;
	bool is_write;
	bool has_imm;
	bool has_inv;
	bool solicited;
	bool has_grh;
	bool has_vlan;
	bool v6;
};

void soro_complete_send(struct soro_qp *qp, u64 wr_id, u32 wr_opcode, u32 bytes, u8 status);
void soro_complete_recv(struct soro_qp *qp, u64 wr_id, u8 status,
			const struct soro_received *what);

#endif
