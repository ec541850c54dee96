#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/lifecycle/gone.sh - link, namespace and module are taken away while a
# process has objects open and traffic runs: it ends within seconds, and the
# process can be killed.

cd "$(dirname "$0")" || exit 1
. ./lib.sh

begin()
{
	echo "# --- $1"
	set_up
	ok $? "$1: devices"
}

# after NAME - what is due in every case
after()
{
	check "$1: the process can be killed" traffic_stop
	rdma link delete $DEV_A 2>/dev/null
	rdma link delete $DEV_B 2>/dev/null
	ip netns del $NS_A 2>/dev/null
	ip netns del $NS_B 2>/dev/null
	check "$1: module unloads" unload_soro $SOON
	check "$1: nothing is left" nothing_left
}

link_delete()
{
	local start=$1 name="link delete, $2"

	begin "$name"
	check "$name: $2 runs" "$start"
	check "$name: ends soon" soon rdma link delete $DEV_A
	check "$name: the device is gone" wait_until $SOON device_gone $DEV_A
	check "$name: the other one too" soon rdma link delete $DEV_B
	check "$name: a new link on the netdev" in_a rdma link add $DEV_A type "$LINK_TYPE" \
		netdev $IF_A
	after "$name"
}

namespace_delete()
{
	local start=$1 name="namespace delete, $2"

	begin "$name"
	check "$name: $2 runs" "$start"
	check "$name: returns soon" soon ip netns del $NS_A
	# The veth goes with the namespace, and with it the other end and its link.
	check "$name: the device is gone" wait_until $SOON device_gone $DEV_A
	check "$name: the peer's device too" wait_until $SOON device_gone $DEV_B
	# One worker cleans up all namespaces: it must not be stuck behind an open file.
	check "$name: other namespaces come and go" soon bash -c '
		ip netns add soro-x && ip -n soro-x link add x0 type dummy && ip netns del soro-x'
	after "$name"
}

# The programs of the namespace are inside it, as in a container.
container_delete()
{
	local name="namespace delete, programs inside" pids

	begin "$name"
	in_b timeout 300 stdbuf -oL ibv_rc_pingpong -d $DEV_B -g "$GID_B" -p 18515 -e -n 100000000 \
		>"$OUT/inside.b" 2>&1 &
	wait_listen $NS_B 18515
	in_a timeout 300 stdbuf -oL ibv_rc_pingpong -d $DEV_A -g "$GID_A" -p 18515 -e -n 100000000 $IP_B \
		>"$OUT/inside.a" 2>&1 &
	check "$name: connected" wait_until 60 grep -q 'remote address' "$OUT/inside.a"
	check "$name: returns soon" soon ip netns del $NS_A
	# traffic_stop waits for it
	# shellcheck disable=SC2034
	traffic=$!
	pids=$(pgrep -f 'ibv_rc_pingpong -d soro')
	# shellcheck disable=SC2086
	kill -KILL $pids 2>/dev/null
	check "$name: the device is gone once they are" wait_until $SOON device_gone $DEV_A
	after "$name"
}

unload()
{
	local start=$1 name="unload, $2"

	begin "$name"
	check "$name: $2 runs" "$start"
	check "$name: rmmod ends soon" soon rmmod soro
	check "$name: no device" wait_until $SOON device_gone $DEV_B
	check "$name: the process is alive" is_alive
	check "$name: nothing is left although it is" nothing_left
	# Its mappings outlive the module; it goes on touching them.
	sleep 1
	check "$name: the process is still alive" is_alive
	check "$name: module loads beside it" load_soro
	check "$name: links beside it" links_up
	after "$name"
}

traffic_and_hold() { traffic_start -H; }

build_verbs || { echo "Bail out! no verbs test"; exit 1; }
! is_loaded soro || unload_soro
link_delete holder_start "open objects"
link_delete traffic_and_hold "traffic"
namespace_delete holder_start "open objects"
namespace_delete traffic_and_hold "traffic"
container_delete
unload holder_start "open objects"
unload traffic_and_hold "traffic"
tap_end
