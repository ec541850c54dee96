#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/counters.sh - the port counters of the performance management agent, as
# monitoring tools read them below /sys, agree with those of `rdma statistic`, also when
# QPs are counted apart (`rdma statistic qp`).

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

# set_of QPN - the set of counters a QP is bound to, as the core shows it
set_of()
{
	in_a rdma statistic qp show link "$DEV_A/1" | paste -s -d ' ' | sed 's/link /\n&/g' |
		grep -E "LQPN: <([0-9]+, *)*$1(,|>)"
}

# counts QPN COUNTER - something was counted for the QP
counts()
{
	set_of "$1" | grep -E " $2 [1-9]"
}

# hold - a process with a pair of QPs on one device that sends now and then: $qpns
hold()
{
	"$SORO_VERBS" -d "$DEV_A" -t limits/attributes -H >"$OUT/hold" 2>&1 &
	holder=$!
	wait_until 60 grep -q '# holding' "$OUT/hold" || return
	mapfile -t qpns < <(in_a rdma resource show qp link "$DEV_A/1" |
			    grep soro_verbs | grep -o 'lqpn [0-9]*' | cut -d ' ' -f 2)
	echo "QPs ${qpns[*]}"
	[ ${#qpns[@]} = 2 ]
}

let_go()
{
	kill "$holder" && wait "$holder"
}

# never_less COUNTER COMMAND... - what the port counts does not shrink by the command
never_less()
{
	local before port_before name=$1

	before=$(soro_counter "$name") port_before=$(port_counter port_xmit_data)
	shift
	"$@" || return
	echo "$name $before $(soro_counter "$name"), $port_before $(port_counter port_xmit_data)"
	[ "$(soro_counter "$name")" -ge "$before" ] &&
		[ "$(port_counter port_xmit_data)" -ge "$port_before" ]
}

no_sets()
{
	[ -z "$(in_a rdma statistic qp show link "$DEV_A/1")" ]
}

qp_counters()
{
	check "a pair of QPs" hold
	check "bind one" in_a rdma statistic qp bind link "$DEV_A/1" lqpn "${qpns[0]}"
	check "it is counted apart" wait_until 10 counts "${qpns[0]}" sent_pkts
	check "unbind it" never_less sent_pkts in_a rdma statistic qp unbind link "$DEV_A/1" \
		cntn "$(set_of "${qpns[0]}" | grep -o 'cntn [0-9]*' | cut -d ' ' -f 2)"
	check "no set is left" no_sets
	check "bind one" in_a rdma statistic qp bind link "$DEV_A/1" lqpn "${qpns[1]}"
	check "it is counted apart" wait_until 10 counts "${qpns[1]}" rcvd_pkts
	check "destroy it" never_less sent_pkts let_go
	check "no set is left" wait_until 10 no_sets
	check "automatic mode" in_a rdma statistic qp set link "$DEV_A/1" auto type on
	check "a pair of QPs" hold
	check "both share a set" wait_until 10 counts "${qpns[0]},${qpns[1]}" sent_pkts
	check "destroy them" never_less sent_pkts let_go
	check "automatic mode off" in_a rdma statistic qp set link "$DEV_A/1" auto off
	check "words sent, with them" agree port_xmit_data sent_bytes 4
}

build_verbs && set_up || { echo "Bail out! no pair of devices"; exit 1; }
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
qp_counters
pair_down
tap_end
