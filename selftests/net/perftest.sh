#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/perftest.sh [--quick|--brief] - perftest, unmodified: bandwidth and
# latency of SEND, WRITE and READ, all message sizes, one and more QPs.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

ALL_ROWS=23		# -a: 2 bytes to 8 MiB

run_all()
{
	local op where qps
	local -a events

	for op in send write read; do
		# Polling starves the peer on few CPUs; ib_write_* cannot but poll.
		events=(-e)
		[ $op != write ] || events=()
		for where in two one; do
			check_perftest $where 120 $ALL_ROWS ib_${op}_bw "${events[@]}" -a -n 5
			check_perftest $where 120 $ALL_ROWS ib_${op}_lat "${events[@]}" -a -n 5
		done
		for qps in 2 16; do
			check_perftest two 240 $ALL_ROWS ib_${op}_bw "${events[@]}" \
				-a -n 5 -q $qps
		done
		check_perftest one 240 1 ib_${op}_bw "${events[@]}" -s 65536 -n 20 -q 16
		# Polled, and in both directions at once.
		check_perftest two 120 1 ib_${op}_bw -s 65536 -n 50
		check_perftest two 120 1 ib_${op}_bw "${events[@]}" -s 65536 -n 50 -b
	done
}

run_quick()
{
	local op
	local -a events

	for op in send write read; do
		# Polling starves the peer on few CPUs; ib_write_* cannot but poll.
		events=(-e)
		[ $op != write ] || events=()
		check_perftest two 300 $ALL_ROWS ib_${op}_bw "${events[@]}" -a -n 5
		check_perftest two 120 1 ib_${op}_lat "${events[@]}" -s 64 -n 20
		check_perftest two 120 1 ib_${op}_bw "${events[@]}" -s 4096 -n 10 -q 16
		check_perftest one 120 1 ib_${op}_bw "${events[@]}" -s 65536 -n 10 -q 2
		check_perftest one 120 1 ib_${op}_lat "${events[@]}" -s 4096 -n 10
	done
}

# What a sanitizer kernel under emulation can afford.
run_brief()
{
	check_perftest two 300 $ALL_ROWS ib_send_bw -e -a -n 5
	check_perftest two 120 1 ib_send_lat -e -s 64 -n 10
	check_perftest one 120 1 ib_send_bw -e -s 65536 -n 5 -q 2
	check_perftest two 120 1 ib_write_bw -s 65536 -n 5 -q 16
	check_perftest two 120 1 ib_write_lat -s 64 -n 10
	check_perftest two 120 1 ib_read_bw -e -s 65536 -n 5 -q 16
	check_perftest two 120 1 ib_read_lat -e -s 64 -n 10
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
if [ "${1:-}" = --quick ]; then
	run_quick
elif [ "${1:-}" = --brief ]; then
	run_brief
else
	run_all
fi
pair_down
tap_end
