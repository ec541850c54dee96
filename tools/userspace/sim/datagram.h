/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Owns: a run of datagrams: two UD QPs that send to each other over a bad channel.
 */
#ifndef SIM_DATAGRAM_H
#define SIM_DATAGRAM_H

#include <linux/types.h>

struct datagram_totals {
	u64 sent;
	u64 arrived;
	u64 refused;		/* by the receiver, as it must */
	u64 failed;		/* at the sender, as they must */
};

const char *datagram_run(u64 seed, bool verbose, struct datagram_totals *totals);

#endif
