/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Child processes: what touches the connection manager runs in one of them, so that it can be
 * killed, can be in another network namespace, and leaves nothing open in the parent.
 */
#ifndef SORO_CM_PROCESS_H
#define SORO_CM_PROCESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/**
 * struct env - what the command line says
 * @server: address that servers listen at, numeric
 * @client: address of the clients, for those that must have one
 * @server_ns: file of the servers' network namespace, NULL: that of the program
 * @seed: of all random numbers
 * @rounds: of the tests that go round
 * @clients: of the tests with many at once
 */
struct env {
	const char *server;
	const char *client;
	const char *server_ns;
	uint64_t seed;
	unsigned int rounds;
	unsigned int clients;
};

/**
 * struct child - a process that was started
 * @pid: its number
 * @word: it tells us its words by this pipe, see child_word()
 * @stop: closed when it shall end
 */
struct child {
	pid_t pid;
	int word;
	int stop;
};

/**
 * typedef child_fn - what a child does
 * @word: pipe to the parent
 * @stop: end of file when it shall end
 *
 * Failed CHECKs, or a false return, make it fail.
 */
typedef bool (*child_fn)(const struct env *env, void *arg, int word, int stop);

/** child_start() - run @fn in a new process, in the namespace of the file @ns if there is one */
struct child child_start(const struct env *env, const char *ns, child_fn fn, void *arg);

/** child_word() - Return: the next 32 bits that the child tells us, 0 if it ended instead */
uint32_t child_word(struct child *child);

/** child_tell() - in a child: tell the parent */
void child_tell(int word, uint32_t value);

/** child_end() - ask it to end and wait; Return: whether it ended well */
bool child_end(struct child *child);

/** child_kill() - by SIGKILL, and wait */
void child_kill(struct child *child);

/**
 * child_wait() - wait until it ends by itself
 * @msec: at most so long; then it is killed
 *
 * Return: 0 if it ended well, -1 if not, 1 if it had to be killed
 */
int child_wait(struct child *child, unsigned int msec);

#endif
