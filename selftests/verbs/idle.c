// SPDX-License-Identifier: GPL-2.0
/*
 * A QP that waits for a receiver for ever (rnr_retry 7) waits on a timer: next to no
 * packets, next to no CPU, and it can go away meanwhile.
 */
#include <stdio.h>
#include <unistd.h>

#include "op.h"
#include "tap.h"
#include "tests.h"

/* One: a try costs a sanitizer kernel under emulation many milliseconds. */
#define PAIRS		1
#define RNR_CODE	26	/* IBA table 45: 81.92 ms */
#define RNR_USEC	81920
/* An interrupted guest must not count as work of ours. */
#define SLACK_MSEC	8000

static uint64_t read_counter(struct ibv_context *ctx, const char *name)
{
	unsigned long long value = 0;
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/1/hw_counters/%s",
		 ibv_get_device_name(ctx->device), name);
	f = fopen(path, "r");
	if (CHECK(f, "cannot open %s", path)) {
		CHECK(fscanf(f, "%llu", &value) == 1, "cannot read %s", path);
		fclose(f);
	}
	return value;
}

/* Milliseconds of all CPUs in the kernel: system, interrupts, soft interrupts. */
static uint64_t kernel_msec(void)
{
	unsigned long long user, nice, system, idle, iowait, irq, softirq;
	FILE *f = fopen("/proc/stat", "r");
	int n;

	if (!CHECK(f, "cannot open /proc/stat"))
		return 0;
	n = fscanf(f, "cpu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
		   &iowait, &irq, &softirq);
	fclose(f);
	CHECK(n == 7, "cannot read /proc/stat");
	return (system + irq + softirq) * 1000 / sysconf(_SC_CLK_TCK);
}

/* Send where nothing was posted, and see what waiting costs. */
static void wait_and_count(struct env *env, struct pair *pairs, unsigned int msec)
{
	struct ibv_send_wr wr = { .wr_id = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED };
	uint64_t start, idle_work, work, naks, limit, elapsed;
	unsigned int i;

	start = kernel_msec();
	sleep_msec(msec);
	idle_work = kernel_msec() - start;
	for (i = 0; i < PAIRS; i++) {
		if (!CHECK(!end_post_send(&pairs[i].end[0], &wr), "post_send"))
			return;
	}
	/* The first tries are over. */
	sleep_msec(100);
	naks = read_counter(env->dev[1].ctx, "rnr_nak_sent");
	start = now_msec();
	work = kernel_msec();
	sleep_msec(msec);
	work = kernel_msec() - work;
	elapsed = now_msec() - start;
	naks = read_counter(env->dev[1].ctx, "rnr_nak_sent") - naks;
	/* Each QP asks again after the time that the NAK names, not sooner. */
	limit = PAIRS * (elapsed * 1000 / RNR_USEC + 2);
	tap_note("%llu ms: %llu RNR NAKs of at most %llu, %llu ms in the kernel (%llu ms without)",
		 (unsigned long long)elapsed, (unsigned long long)naks, (unsigned long long)limit,
		 (unsigned long long)work, (unsigned long long)idle_work);
	CHECK(naks <= limit, "%llu RNR NAKs in %llu ms, not at most %llu", (unsigned long long)naks,
	      (unsigned long long)elapsed, (unsigned long long)limit);
	CHECK(naks >= 1, "nobody asked again in %llu ms", (unsigned long long)elapsed);
	/* Not waiting would keep a CPU busy. */
	CHECK(work <= idle_work + elapsed / 2, "%llu of %llu ms in the kernel, %llu when idle",
	      (unsigned long long)work, (unsigned long long)elapsed,
	      (unsigned long long)idle_work);
}

static void test_waiting(struct env *env, long arg)
{
	struct pair_opts opts = pair_defaults(env);
	struct pair pairs[PAIRS];
	unsigned int i, opened;
	uint64_t start;

	(void)arg;
	opts.min_rnr_timer = RNR_CODE;
	for (opened = 0; opened < PAIRS; opened++) {
		if (!pair_open(&pairs[opened], env, &opts))
			break;
	}
	if (opened == PAIRS)
		wait_and_count(env, pairs, env->quick ? 1500 : 4000);
	for (i = 0; i < opened; i++)
		end_expect_none(&pairs[i].end[0], "while it waits");
	start = now_msec();
	for (i = 0; i < opened; i++)
		pair_close(&pairs[i]);
	CHECK(now_msec() - start < SLACK_MSEC, "to destroy them took %llu ms",
	      (unsigned long long)(now_msec() - start));
}

const struct test idle_tests[] = {
	{ "rnr/waiting-costs-nothing", test_waiting },
	{ }
};
