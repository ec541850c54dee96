#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/perftest.sh [--quick|--brief] [-6] - perftest, unmodified: bandwidth and
# latency of SEND, WRITE, READ and the atomics, all message sizes, one and more QPs.
# With -6 alone few runs of each program that has RC, and ibv_rc_pingpong, with IPv6 GIDs.

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
	for where in two one; do
		run_inline $where 50
		run_atomics $where 50
		check_perftest $where 120 1 ib_atomic_bw -e -A CMP_AND_SWAP -n 50 -q 16
		check_perftest $where 120 1 ib_atomic_bw -e -n 50 -b
		check_perftest $where 120 1 ib_atomic_bw -n 50
	done
}

# run_inline WHERE ITERATIONS - in the WQE, and not even what is short
run_inline()
{
	check_perftest "$1" 120 1 ib_send_bw -e -I 128 -s 128 -n "$2" -q 2
	check_perftest "$1" 120 1 ib_write_bw -I 128 -s 100 -n "$2"
	check_perftest "$1" 120 1 ib_send_lat -e -I 64 -s 64 -n "$2"
	check_perftest "$1" 120 1 ib_send_lat -e -I 0 -s 64 -n "$2"
	check_perftest "$1" 120 1 ib_write_lat -I 1 -s 1 -n "$2"
	check_perftest "$1" 120 1 ib_write_lat -I 0 -s 64 -n "$2"
}

# run_atomics WHERE ITERATIONS
run_atomics()
{
	check_perftest "$1" 120 1 ib_atomic_bw -e -A FETCH_AND_ADD -n "$2"
	check_perftest "$1" 120 1 ib_atomic_lat -A CMP_AND_SWAP -n "$2"
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
		check_perftest two 120 1 ib_${op}_bw "${events[@]}" -s 4096 -n 10 -q 16
		check_perftest one 120 1 ib_${op}_lat "${events[@]}" -s 64 -n 20
	done
	run_atomics two 10
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
	check_perftest two 120 1 ib_atomic_bw -e -n 5 -q 2
}

run_ipv6()
{
	check_pingpong two 60 -e -r 16 -s 10000 -n 10
	check_perftest two 120 1 ib_send_bw -e -s 65536 -n 10 -q 2
	check_perftest two 120 1 ib_send_lat -e -s 64 -n 10
	check_perftest two 120 1 ib_write_bw -s 65536 -n 10
	check_perftest one 120 1 ib_write_lat -s 64 -n 10
	check_perftest one 120 1 ib_read_bw -e -s 65536 -n 10
	check_perftest two 120 1 ib_read_lat -e -s 64 -n 10
	run_atomics two 10
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
case ${1:-} in
-6) ;;
--quick) run_quick ;;
--brief) run_brief ;;
*) run_all ;;
esac
if [[ " $* " = *" -6 "* || $# = 0 ]]; then
	check "IPv6 GIDs" use_ipv6
	run_ipv6
fi
pair_down
tap_end
