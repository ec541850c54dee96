#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/qperf.sh - the RC tests of qperf, unmodified. Connected by itself it knows
# no GIDs, and an address without one is none in RoCE: that must be refused, and
# clearly. Connected by the RDMA connection manager all run, where soro has one.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

TESTS="rc_bi_bw rc_bw rc_lat rc_rdma_read_bw rc_rdma_read_lat rc_rdma_write_bw
	rc_rdma_write_lat rc_rdma_write_poll_lat rc_compare_swap_mr rc_fetch_add_mr
	ver_rc_compare_swap ver_rc_fetch_add"
PORT=19765

# The core has these counters for ports that promise a connection manager.
has_cm()
{
	modprobe -q ib_cm
	[ -d "/sys/class/infiniband/$DEV_A/ports/1/cm_rx_msgs" ]
}

server_start()
{
	in_b qperf -lp $PORT >"$OUT/server" 2>&1 &
	server=$!
	wait_listen $NS_B $PORT
}

# client ARGUMENTS
client()
{
	in_a timeout -k 5 60 qperf $IP_B -lp $PORT -to 20 -li $DEV_A:1 -ri $DEV_B:1 -t 1 "$@"
}

without_cm()
{
	if client rc_lat; then
		echo "it runs without a GID"
		return 1
	fi >"$OUT/refused" 2>&1
	cat "$OUT/refused" "$OUT/server"
	grep -q 'modify QP to RTR' "$OUT/refused" "$OUT/server"
}

# with_cm TEST - it ends with its result
with_cm()
{
	client -cm1 "$1" >"$OUT/client" 2>&1 && grep -q "^$1:" "$OUT/client" && return
	cat "$OUT/client" "$OUT/server"
	return 1
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
check "server" server_start
check "without a connection manager: refused in RTR" without_cm
for name in $TESTS; do
	if has_cm; then
		check "$name" with_cm "$name"
	else
		skip "$name" "qperf gives no GID: it needs rdma_cm, which soro does not have yet"
	fi
done
kill $server 2>/dev/null
pair_down
tap_end
