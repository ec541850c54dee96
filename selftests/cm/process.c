// SPDX-License-Identifier: GPL-2.0
/*
 * Child processes, pipes to them, and their end.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"
#include "tap.h"

static void enter(const char *ns)
{
	int fd = open(ns, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || setns(fd, CLONE_NEWNET)) {
		perror(ns);
		_exit(1);
	}
	close(fd);
}

/* Pipes to other children: they would not see their end while this one lives. */
static void close_others(int word, int stop)
{
	unsigned int low = word < stop ? word : stop, high = word < stop ? stop : word;

	close_range(STDERR_FILENO + 1, low - 1, 0);
	close_range(low + 1, high - 1, 0);
	close_range(high + 1, ~0U, 0);
}

static void run(const struct env *env, const char *ns, child_fn fn, void *arg, int word, int stop)
{
	bool good;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (ns)
		enter(ns);
	good = fn(env, arg, word, stop);
	fflush(stdout);
	_exit(good && !tap_failed() ? 0 : 1);
}

struct child child_start(const struct env *env, const char *ns, child_fn fn, void *arg)
{
	struct child child = { 0 };
	int word[2], stop[2];

	if (pipe2(word, O_CLOEXEC) || pipe2(stop, O_CLOEXEC)) {
		perror("pipe");
		exit(2);
	}
	fflush(stdout);
	child.pid = fork();
	if (child.pid < 0) {
		perror("fork");
		exit(2);
	}
	if (!child.pid) {
		close_others(word[1], stop[0]);
		run(env, ns, fn, arg, word[1], stop[0]);
	}
	close(word[1]);
	close(stop[0]);
	child.word = word[0];
	child.stop = stop[1];
	return child;
}

uint32_t child_word(struct child *child)
{
	uint32_t value;

	return read(child->word, &value, sizeof(value)) == sizeof(value) ? value : 0;
}

void child_tell(int word, uint32_t value)
{
	CHECK(write(word, &value, sizeof(value)) == sizeof(value), "pipe to the parent");
}

static void close_pipes(struct child *child)
{
	close(child->word);
	close(child->stop);
}

bool child_end(struct child *child)
{
	int status = -1;

	close_pipes(child);
	waitpid(child->pid, &status, 0);
	return status == 0;
}

void child_kill(struct child *child)
{
	kill(child->pid, SIGKILL);
	child_end(child);
}

int child_wait(struct child *child, unsigned int msec)
{
	uint64_t end = now_msec() + msec;
	int status;

	while (waitpid(child->pid, &status, WNOHANG) == 0) {
		if (now_msec() >= end) {
			child_kill(child);
			return 1;
		}
		sleep_msec(1);
	}
	close_pipes(child);
	return status == 0 ? 0 : -1;
}
