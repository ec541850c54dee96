// SPDX-License-Identifier: GPL-2.0
/*
 * Owns: the performance management agent (IBA 16.1): what the core shows below
 * ports/1/counters, and answers to those who ask over the network.
 *
 * It reads. Counters cannot be set: that would change them for everybody.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <rdma/ib_pma.h>
#include "../run/device.h"
#include "counters.h"
#include "pma.h"

#define DATA_OFFSET	40	/* of the attribute in the data of a MAD, IBA 16.1.1 */
#define WORD_BYTES	4	/* data are counted in words, IBA 16.1.3.5 */
#define PORT		1
#define ALL_PORTS	0xff

/* What cannot be told from a packet that was damaged on the way. */
static u64 count_damaged(struct soro_dev *dev)
{
	static const enum soro_drop reasons[] = {
		SORO_DROP_SHORT, SORO_DROP_LENGTH, SORO_DROP_PAD, SORO_DROP_OPCODE,
		SORO_DROP_TVER, SORO_DROP_SYNDROME, SORO_DROP_ICRC, SORO_DROP_FRAGMENT,
	};
	u64 sum = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(reasons); i++)
		sum += soro_counters_sum(dev, SORO_CTR_DROP_BASE + reasons[i] - 1);
	return sum;
}

static __be16 saturate16(u64 value)
{
	return cpu_to_be16(min_t(u64, value, U16_MAX));
}

static __be32 saturate32(u64 value)
{
	return cpu_to_be32(min_t(u64, value, U32_MAX));
}

static void fill_class_info(struct ib_class_port_info *info)
{
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
}

static void fill_counters(struct soro_dev *dev, struct ib_pma_portcounters *to)
{
	to->port_rcv_errors = saturate16(count_damaged(dev));
	to->port_rcv_constraint_errors =
		min_t(u64, soro_counters_sum(dev, SORO_CTR_DROP_BASE + SORO_DROP_PKEY - 1), U8_MAX);
	to->port_xmit_discards = saturate16(soro_counters_sum(dev, SORO_CTR_XMIT_ERRORS));
	to->port_xmit_data = saturate32(soro_counters_sum(dev, SORO_CTR_SENT_BYTES) / WORD_BYTES);
	to->port_rcv_data = saturate32(soro_counters_sum(dev, SORO_CTR_RCVD_BYTES) / WORD_BYTES);
	to->port_xmit_packets = saturate32(soro_counters_sum(dev, SORO_CTR_SENT_PKTS));
	to->port_rcv_packets = saturate32(soro_counters_sum(dev, SORO_CTR_RCVD_PKTS));
}

static void fill_extended(struct soro_dev *dev, struct ib_pma_portcounters_ext *to)
{
	u64 sent = soro_counters_sum(dev, SORO_CTR_SENT_PKTS);
	u64 rcvd = soro_counters_sum(dev, SORO_CTR_RCVD_PKTS);
	u64 sent_multicast = soro_counters_sum(dev, SORO_CTR_SENT_MULTICAST);
	u64 rcvd_multicast = soro_counters_sum(dev, SORO_CTR_RCVD_MULTICAST);

	to->port_xmit_data = cpu_to_be64(soro_counters_sum(dev, SORO_CTR_SENT_BYTES) / WORD_BYTES);
	to->port_rcv_data = cpu_to_be64(soro_counters_sum(dev, SORO_CTR_RCVD_BYTES) / WORD_BYTES);
	to->port_xmit_packets = cpu_to_be64(sent);
	to->port_rcv_packets = cpu_to_be64(rcvd);
	/* read later than the sums: may be ahead of them */
	to->port_unicast_xmit_packets = cpu_to_be64(sent - min(sent, sent_multicast));
	to->port_unicast_rcv_packets = cpu_to_be64(rcvd - min(rcvd, rcvd_multicast));
	to->port_multicast_xmit_packets = cpu_to_be64(sent_multicast);
	to->port_multicast_rcv_packets = cpu_to_be64(rcvd_multicast);
}

/* Return: the status of the answer. */
static u16 get(struct soro_dev *dev, const struct ib_mad *in, struct ib_mad *out)
{
	u8 *data = out->data + DATA_OFFSET;
	u8 port = in->data[DATA_OFFSET + offsetof(struct ib_pma_portcounters, port_select)];

	if (in->mad_hdr.attr_id == IB_PMA_CLASS_PORT_INFO) {
		fill_class_info((struct ib_class_port_info *)data);
		return IB_MGMT_MAD_STATUS_SUCCESS;
	}
	if (in->mad_hdr.attr_id != IB_PMA_PORT_COUNTERS &&
	    in->mad_hdr.attr_id != IB_PMA_PORT_COUNTERS_EXT)
		return IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	if (port != PORT && port != ALL_PORTS)
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	data[offsetof(struct ib_pma_portcounters, port_select)] = port;
	if (in->mad_hdr.attr_id == IB_PMA_PORT_COUNTERS)
		fill_counters(dev, (struct ib_pma_portcounters *)data);
	else
		fill_extended(dev, (struct ib_pma_portcounters_ext *)data);
	return IB_MGMT_MAD_STATUS_SUCCESS;
}

static bool is_request(const struct ib_mad *mad)
{
	return mad->mad_hdr.method == IB_MGMT_METHOD_GET ||
	       mad->mad_hdr.method == IB_MGMT_METHOD_SET;
}

/**
 * soro_pma_process() - process_mad of the core: answer what asks for counters
 * @ibdev: the device
 * @flags: of the core, unused
 * @port: 1
 * @wc: of the MAD, NULL from the core itself
 * @grh: as @wc
 * @in: the MAD
 * @out: the answer
 * @out_bytes: its size, stays as it is
 * @pkey_index: stays as it is
 *
 * Context: process.
 * Return: IB_MAD_RESULT_* bits: that there is an answer, or that others may look at the MAD.
 */
int soro_pma_process(struct ib_device *ibdev, int flags, u32 port, const struct ib_wc *wc,
		     const struct ib_grh *grh, const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_bytes, u16 *pkey_index)
{
	u16 status;

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT || !is_request(in))
		return IB_MAD_RESULT_SUCCESS;
	memset(out, 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	if (in->mad_hdr.class_version != 1)
		status = IB_MGMT_MAD_STATUS_BAD_VERSION;
	else if (in->mad_hdr.method != IB_MGMT_METHOD_GET)
		status = IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	else
		status = get(soro_dev(ibdev), in, out);
	out->mad_hdr.status = cpu_to_be16(status);
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
