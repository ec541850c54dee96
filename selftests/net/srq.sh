#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/srq.sh [--quick|--brief] - shared receive queues with stock programs:
# ibv_srq_pingpong with its data check, perftest, and that ibv_xsrq_pingpong is told that there
# is no XRC.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

ALL_ROWS=23		# -a: 2 bytes to 8 MiB
UD_ROWS=12		# -a: 2 bytes to the path MTU of 4096
LIMIT=150

# pingpongs WHERE "SIZES" QPS ITERATIONS OPTIONS - one run per size; all QPs share a queue
pingpongs()
{
	local where=$1 sizes=$2 qps=$3 n=$4 size

	shift 4
	for size in $sizes; do
		check_pingpong_of ibv_srq_pingpong "$where" $LIMIT "$@" -q "$qps" -r 64 \
			-s "$size" -n "$n"
	done
}

# bandwidth WHERE ITERATIONS
bandwidth()
{
	check_perftest "$1" $LIMIT 1 ib_send_bw --use-srq -e -s 65536 -n "$2" -q 4
	check_perftest "$1" $LIMIT 1 ib_send_bw --use-srq -e -s 4096 -n "$2" -q 2 -b
	check_perftest "$1" $LIMIT 1 ib_send_bw --use-srq -c UC -e -s 4096 -n "$2" -q 2
	check_perftest "$1" $LIMIT 1 ib_send_bw --use-srq -c UD -e -s 1024 -n "$2" -q 2
	check_perftest "$1" $LIMIT 1 ib_send_lat --use-srq -e -s 64 -n "$2"
}

# Nothing but a message and an exit status: no crash, no wait.
refuses_xrc()
{
	local status=0

	timeout -k 5 30 ibv_xsrq_pingpong -d "$DEV_A" -g "$GID_A" >"$OUT/xrc" 2>&1 || status=$?
	cat "$OUT/xrc"
	[ $status = 1 ] && grep -qi xrc "$OUT/xrc"
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
check "ibv_xsrq_pingpong is refused" refuses_xrc
case ${1:-} in
--brief)	# what a sanitizer kernel under emulation can afford
	pingpongs two 4097 4 20 -e
	check_perftest two $LIMIT 1 ib_send_bw --use-srq -e -s 65536 -n 5 -q 2
	;;
--quick)
	pingpongs two "1 65537" 16 50 -e
	pingpongs one 4097 4 20
	bandwidth two 20
	;;
*)
	for where in two one; do
		pingpongs $where "1 63 4097 65537 1048576" 16 100 -e
		pingpongs $where "1 4097" 1 100 -e
		pingpongs $where "4097 65537" 4 50
		bandwidth $where 100
		check_perftest $where $LIMIT $ALL_ROWS ib_send_bw --use-srq -e -a -n 5
		check_perftest $where $LIMIT $ALL_ROWS ib_send_bw --use-srq -c UC -e -a -n 5
		check_perftest $where $LIMIT $UD_ROWS ib_send_bw --use-srq -c UD -e -a -n 20
	done
	check "IPv6 GIDs" use_ipv6
	pingpongs two 4097 4 50 -e
	;;
esac
pair_down
tap_end
