#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/qperf.sh - qperf, unmodified. Connected by itself it knows no GIDs, and an
# address without one is none in RoCE: that must be refused, and clearly. Connected by
# the RDMA connection manager its RC tests run; its UC and UD tests do not know that way.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

TESTS="rc_bi_bw rc_bw rc_lat rc_rdma_read_bw rc_rdma_read_lat rc_rdma_write_bw
	rc_rdma_write_lat rc_rdma_write_poll_lat rc_compare_swap_mr rc_fetch_add_mr
	ver_rc_compare_swap ver_rc_fetch_add"
PORT=19765

start() { server_start $NS_B qperf 600 $PORT "qperf -lp $PORT"; }

# client ARGUMENTS
client()
{
	in_a timeout -k 5 60 qperf $IP_B -lp $PORT -to 20 -li $DEV_A:1 -ri $DEV_B:1 -t 1 "$@"
}

# refused TEST MESSAGE
refused()
{
	if client "$1"; then
		echo "it runs without a GID"
		return 1
	fi >"$OUT/refused" 2>&1
	cat "$OUT/refused" "$OUT/qperf.server"
	grep -q "$2" "$OUT/refused" "$OUT/qperf.server"
}

# with_cm TEST - it ends with its result
with_cm()
{
	client -cm1 "$1" >"$OUT/client" 2>&1 && grep -q "^$1:" "$OUT/client" && return
	cat "$OUT/client" "$OUT/qperf.server"
	return 1
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
check "server" start
for name in rc_lat uc_lat; do
	check "$name without a connection manager: refused in RTR" refused $name 'modify QP to RTR'
done
check "ud_lat without a connection manager: no address handle" refused ud_lat \
	'create address handle'
for name in $TESTS; do
	if has_cm; then
		check "$name" with_cm "$name"
	else
		skip "$name" "qperf gives no GID: it needs rdma_cm, which $DEV_A does not promise"
	fi
done
server_stop
pair_down
tap_end
