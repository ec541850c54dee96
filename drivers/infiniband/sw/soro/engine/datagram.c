// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: the rules of datagrams (IBA 9.8.3): no sequence, no answer; each packet is
 * a message.
 */
#include <linux/bits.h>
#include "../wire/psn.h"
#include "datagram.h"

#define QKEY_CONTROLLED	BIT(31)		/* a work request means the QP's own, IBA 10.2.5 */

/**
 * soro_datagram_check() - whether a packet is taken
 * @dg: the receiver
 * @pkt: parsed
 * @payload_max: MTU of the port, bytes
 *
 * PSNs and AckReq mean nothing (IBA 9.8.3.2). Nothing that is refused here tells its
 * sender (IBA 9.9.3).
 *
 * Return: SORO_DROP_NONE, or why not.
 */
enum soro_drop soro_datagram_check(const struct soro_datagram *dg, const struct soro_pkt *pkt,
				   u32 payload_max)
{
	if (pkt->row->transport != SORO_UD)
		return SORO_DROP_QP_TYPE;
	if (pkt->payload_len > payload_max || (dg->mads && pkt->payload_len != SORO_MAD_BYTES))
		return SORO_DROP_LENGTH;
	return pkt->deth.qkey == dg->qkey ? SORO_DROP_NONE : SORO_DROP_QKEY;
}

/**
 * soro_datagram_sendable() - whether a work request can be sent
 * @kind: enum soro_kind asked for
 * @bytes: of the message
 * @payload_max: MTU of the port, bytes: a datagram is one packet
 *
 * Return: enum soro_status: success, or that of its completion (IBA 11.6.2).
 */
u8 soro_datagram_sendable(u8 kind, u64 bytes, u32 payload_max)
{
	if (kind != SORO_SEND)
		return SORO_ST_LOC_QP_OP;
	return bytes > payload_max ? SORO_ST_LOC_LEN : SORO_ST_SUCCESS;
}

/**
 * soro_datagram_qkey() - queue key that goes into a packet
 * @dg: the sender
 * @qkey: of the work request
 *
 * A key with the highest bit is only for those who were allowed to give it to their QP: what
 * the work request says then is not looked at.
 */
u32 soro_datagram_qkey(const struct soro_datagram *dg, u32 qkey)
{
	return qkey & QKEY_CONTROLLED ? dg->qkey : qkey;
}

/**
 * soro_datagram_psn() - use up a PSN
 * @dg: the sender
 */
u32 soro_datagram_psn(struct soro_datagram *dg)
{
	u32 psn = dg->psn;

	dg->psn = soro_psn_add(psn, 1);
	return psn;
}
