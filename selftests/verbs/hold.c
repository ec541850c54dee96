// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps one of each object open, and its rings in use, while somebody else
 * takes the device, the namespace or the module away.
 */
#include <signal.h>
#include <stdio.h>

#include "hold.h"
#include "op.h"
#include "tap.h"

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

static void touch(struct pair *pair, struct bufs *bufs)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)bufs->tx[0].mem, .length = 64, .lkey = bufs->tx[0].mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { (uintptr_t)bufs->rx[1].mem, bufs->rx[1].mr->rkey },
	};
	struct ibv_wc wc;
	int i;

	end_post_send(&pair->end[0], &wr);
	for (i = 0; i < 2; i++) {
		ibv_req_notify_cq(pair->end[i].rcq, 0);
		end_post_recv(&pair->end[i], 0, NULL, 0);
		while (ibv_poll_cq(pair->end[i].scq, 1, &wc) > 0 ||
		       ibv_poll_cq(pair->end[i].rcq, 1, &wc) > 0)
			;
	}
}

void hold_until_signal(struct env *env)
{
	struct pair_opts opts = pair_defaults(env);
	struct bufs bufs;
	struct pair pair;
	bool works;

	signal(SIGTERM, stop);
	signal(SIGINT, stop);
	/* Without them, when the device is gone already, the context stays open. */
	works = bufs_open(&bufs, env, 65536) && pair_open(&pair, env, &opts);
	tap_note("holding");
	fflush(stdout);
	while (!stopped) {
		if (works)
			touch(&pair, &bufs);
		sleep_msec(100);
	}
	/* The process's end closes all, as it would for any program that dies. */
}
