/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A pair of connected queue pairs, both in this process.
 */
#ifndef SORO_VERBS_FIXTURE_H
#define SORO_VERBS_FIXTURE_H

#include "device.h"

/**
 * struct env - what the command line said
 * @dev: device of end 0 and of end 1 (two openings of one device are allowed)
 * @quick: fewer sizes and repetitions
 * @lossy: the path loses packets; a lost NAK may turn any remote error into
 *         "retries exceeded", and time limits are wider
 * @ops: bit mask of enum op_id: operations to run
 * @wait_msec: how long a completion may take
 * @timeout: local ACK timeout of QPs whose test chooses none, as in struct ibv_qp_attr; 0: default
 * @duration_sec: how long mixed traffic runs, 0: as long as the test likes
 * @cut: @mend: shell commands that take the path away and give it back, or NULL
 */
struct env {
	struct device dev[2];
	bool quick;
	bool lossy;
	unsigned int ops;
	unsigned int wait_msec;
	uint8_t timeout;
	unsigned int duration_sec;
	const char *cut, *mend;
};

/**
 * struct pair_opts - how to make a pair
 * @uc: UC QPs, else RC; they have no retries, timeouts and READs
 * @pmtu: path MTU
 * @send_wr: @recv_wr: @sge: @inline_bytes: capabilities to ask for
 * @wr_api: post with the ibv_wr_* calls
 * @sig_all: sq_sig_all
 * @events: wait for completions with the completion channel
 * @timeout: @retry_cnt: @rnr_retry: @min_rnr_timer: as in struct ibv_qp_attr
 * @rd_atomic: READs outstanding, both ways
 * @access: qp_access_flags of each end
 * @srq: from which end 1 takes its receives, or NULL
 */
struct pair_opts {
	enum ibv_mtu pmtu;
	unsigned int send_wr, recv_wr, sge, inline_bytes;
	bool uc, wr_api, sig_all, events;
	uint8_t timeout, retry_cnt, rnr_retry, min_rnr_timer;
	uint8_t rd_atomic;
	int access[2];
	struct ibv_srq *srq;
};

/**
 * struct end - one side of a pair
 * @dev: its device
 * @peer: the other side
 * @qp: @qpx: the QP, and its extended form when the ibv_wr_* calls are used
 * @scq: @rcq: completion queues
 * @chan: channel of both
 * @cap: granted capabilities
 * @psn: first PSN that it sends
 * @events: wait with @chan
 * @wait_msec: how long a completion may take
 */
struct end {
	struct device *dev;
	struct end *peer;
	struct ibv_qp *qp;
	struct ibv_qp_ex *qpx;
	struct ibv_cq *scq, *rcq;
	struct ibv_comp_channel *chan;
	struct ibv_qp_cap cap;
	uint32_t psn;
	bool events;
	unsigned int wait_msec;
};

/** struct pair - two ends and what they were made of */
struct pair {
	struct end end[2];
	struct pair_opts opts;
	struct env *env;
};

/** pair_defaults() - Return: options that suit most tests */
struct pair_opts pair_defaults(const struct env *env);

/**
 * skip_if_lost() - skip a test that expects each message to arrive
 * @env: whose path may lose packets
 * @uc: the messages are of UC, which does not send again
 *
 * Return: whether the test is skipped
 */
bool skip_if_lost(const struct env *env, bool uc);

/** pair_max_sge() - Return: SGEs to ask for: the device's limit, at most MAX_SGE */
unsigned int pair_max_sge(const struct env *env);

/** pair_create() - make both QPs, in RESET; Return: false after a failed check */
bool pair_create(struct pair *pair, struct env *env, const struct pair_opts *opts);

/** pair_open() - make both QPs and connect them (RTS); Return: false after a failed check */
bool pair_open(struct pair *pair, struct env *env, const struct pair_opts *opts);

/** pair_connect() - take both QPs from RESET to RTS; Return: false after a failed check */
bool pair_connect(struct pair *pair);

/** pair_close() - destroy whatever of the pair exists */
void pair_close(struct pair *pair);

/**
 * end_create_qp() - make the QP of an end that has CQs and none, with a shared receive queue or NULL
 *
 * Return: false after a failed check.
 */
bool end_create_qp(struct end *end, const struct pair_opts *opts, struct ibv_srq *srq);

/** end_destroy_qp() - destroy the QP of one end now */
void end_destroy_qp(struct end *end);

/** end_to_init() - RESET to INIT; Return: 0 or errno */
int end_to_init(struct end *end, const struct pair_opts *opts, int access);

/** end_to_rtr() - INIT to RTR; Return: 0 or errno */
int end_to_rtr(struct end *end, const struct pair_opts *opts, uint32_t dest_qpn);

/** end_to_rts() - RTR to RTS; Return: 0 or errno */
int end_to_rts(struct end *end, const struct pair_opts *opts);

/** end_fill_rtr() - the attributes that end_to_rtr() sets; Return: their mask */
int end_fill_rtr(struct end *end, const struct pair_opts *opts, uint32_t dest_qpn,
		 struct ibv_qp_attr *attr);

/** end_fill_rts() - the attributes that end_to_rts() sets; Return: their mask */
int end_fill_rts(struct end *end, const struct pair_opts *opts, struct ibv_qp_attr *attr);

/** end_to_state() - change the state alone (RESET, ERR, SQD, RTS); Return: 0 or errno */
int end_to_state(struct end *end, enum ibv_qp_state state);

/** end_state() - Return: state by query_qp, or -1 */
int end_state(struct end *end);

/** end_wait_state() - wait until query_qp says @state; Return: false after a failed check */
bool end_wait_state(struct end *end, enum ibv_qp_state state, const char *what);

#endif
