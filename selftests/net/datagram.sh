#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/datagram.sh [--quick|--brief] - UC and UD with stock programs: the pingpongs
# of libibverbs with their data check, and perftest; over two namespaces and on one device,
# with IPv4 and IPv6 GIDs.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

ALL_ROWS=23		# -a: 2 bytes to 8 MiB
UD_ROWS=12		# -a: 2 bytes to the path MTU of 4096
LIMIT=120

# pingpongs WHERE "UC SIZES" "UD SIZES" ITERATIONS OPTIONS - one run per size
pingpongs()
{
	local where=$1 uc=$2 ud=$3 n=$4 size

	shift 4
	for size in $uc; do
		check_pingpong_of ibv_uc_pingpong "$where" $LIMIT "$@" -r 16 -s "$size" -n "$n"
	done
	for size in $ud; do
		check_pingpong_of ibv_ud_pingpong "$where" $LIMIT "$@" -r 16 -s "$size" -n "$n"
	done
}

# Fewer messages than receives that perftest posts: what finds none is lost, as it must be.
# bandwidth WHERE - all sizes, more QPs, both directions
bandwidth()
{
	local where=$1

	check_perftest "$where" $LIMIT $ALL_ROWS ib_send_bw -c UC -e -a -n 5
	check_perftest "$where" $LIMIT $ALL_ROWS ib_write_bw -c UC -a -n 5
	check_perftest "$where" $LIMIT $UD_ROWS ib_send_bw -c UD -e -a -n 20
	check_perftest "$where" $LIMIT 1 ib_send_bw -c UC -e -s 65536 -n 20 -q 4
	check_perftest "$where" $LIMIT 1 ib_write_bw -c UC -s 65536 -n 20 -q 4
	check_perftest "$where" $LIMIT 1 ib_send_bw -c UD -e -s 1024 -n 50 -b
	check_perftest "$where" $LIMIT 1 ib_send_bw -c UC -s 4096 -n 50
	check_perftest "$where" $LIMIT 1 ib_send_bw -c UD -s 4096 -n 50
}

# latency WHERE ITERATIONS
latency()
{
	local where=$1 n=$2

	check_perftest "$where" $LIMIT 1 ib_send_lat -c UC -e -s 64 -n "$n"
	check_perftest "$where" $LIMIT 1 ib_send_lat -c UD -e -s 64 -n "$n"
	check_perftest "$where" $LIMIT 1 ib_send_lat -c UD -s 2048 -n "$n"
	check_perftest "$where" $LIMIT 1 ib_write_lat -c UC -s 64 -n "$n"
	check_perftest "$where" $LIMIT 1 ib_send_lat -c UC -e -I 64 -s 64 -n "$n"
	check_perftest "$where" $LIMIT 1 ib_send_lat -c UD -e -I 64 -s 33 -n "$n"
	check_perftest "$where" $LIMIT 1 ib_send_lat -c UD -e -I 0 -s 64 -n "$n"
	check_perftest "$where" $LIMIT 1 ib_write_lat -c UC -I 0 -s 64 -n "$n"
}

run_all()
{
	local where mtu

	for where in two one; do
		for mtu in 256 1024 4096; do
			check_pingpong_of ibv_uc_pingpong $where $LIMIT -e -m $mtu -r 16 -s 65537 -n 20
		done
		pingpongs $where "1 63 1024 4097 1048576" "1 63 1024 2048 4096" 50 -e
		pingpongs $where "1 4097 65537" "1 2048" 50
		bandwidth $where
		latency $where 100
	done
}

run_quick()
{
	pingpongs two "1 65537" "1 4096" 10 -e
	pingpongs one "4097" "1024" 10
	bandwidth two
	latency two 20
	latency one 10
}

# What a sanitizer kernel under emulation can afford.
run_brief()
{
	LIMIT=200
	pingpongs two "65537" "4096" 10 -e
	check_perftest two $LIMIT 1 ib_send_bw -c UC -e -s 65536 -n 5 -q 2
	check_perftest two $LIMIT 1 ib_write_lat -c UC -s 64 -n 10
	check_perftest one $LIMIT $UD_ROWS ib_send_bw -c UD -e -a -n 5
	check_perftest two $LIMIT 1 ib_send_lat -c UD -e -s 64 -n 10
}

run_ipv6()
{
	pingpongs two "10000" "2000" 10 -e
	check_perftest two $LIMIT 1 ib_send_bw -c UC -e -s 65536 -n 10
	check_perftest one $LIMIT 1 ib_write_bw -c UC -s 65536 -n 10
	check_perftest one $LIMIT 1 ib_send_bw -c UD -e -s 4096 -n 10
	check_perftest two $LIMIT 1 ib_send_lat -c UD -e -s 64 -n 10
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
case ${1:-} in
--quick) run_quick ;;
--brief) run_brief ;;
*) run_all ;;
esac
check "IPv6 GIDs" use_ipv6
run_ipv6
pair_down
tap_end
