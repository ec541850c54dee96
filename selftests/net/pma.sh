#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/pma.sh - the port counters of the performance management agent, as
# monitoring tools read them below /sys, agree with those of `rdma statistic`.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

# port_counter NAME - of the device in namespace a; the core shows it in the /sys of here
port_counter()
{
	cat "/sys/class/infiniband/$DEV_A/ports/1/counters/$1"
}

# soro_counter NAME
soro_counter()
{
	in_a rdma statistic show link "$DEV_A/1" | tr ' ' '\n' | grep -x -A 1 "$1" | tail -n 1
}

# agree PORT-COUNTER SORO-COUNTER DIVISOR - equal, and something was counted
agree()
{
	local port soro

	port=$(port_counter "$1") soro=$(soro_counter "$2")
	echo "$1 $port, $2 $soro"
	[ "$port" -gt 0 ] && [ "$port" = $((soro / $3)) ]
}

none()
{
	[ "$(port_counter "$1")" = 0 ]
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
check "datagrams" run_where two datagrams 30 ibv_ud_pingpong -s 256 -n 100
check "words sent" agree port_xmit_data sent_bytes 4
check "words received" agree port_rcv_data rcvd_bytes 4
check "packets sent" agree port_xmit_packets sent_pkts 1
check "packets received" agree port_rcv_packets rcvd_pkts 1
check "unicast sent" agree unicast_xmit_packets sent_pkts 1
check "unicast received" agree unicast_rcv_packets rcvd_pkts 1
for counter in multicast_xmit_packets multicast_rcv_packets port_rcv_errors port_xmit_discards \
	port_rcv_constraint_errors symbol_error VL15_dropped; do
	check "nothing counted in $counter" none $counter
done
pair_down
tap_end
