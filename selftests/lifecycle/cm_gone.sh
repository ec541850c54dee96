#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/lifecycle/cm_gone.sh - link, namespace and module are taken away while programs connect,
# transfer and disconnect by the connection manager all the time: it ends within seconds,
# and the programs do.

cd "$(dirname "$0")" || exit 1
. ./lib.sh

# In the initial namespace programs would not reach the addresses: they run inside, and
# keep their namespace alive until they are killed.
clients=4

# connect_for_ever - short connections, one after the other
connect_for_ever()
{
	while :; do
		timeout -s KILL 60 ip netns exec $NS_A rping -c -a $IP_B -C 3 -S 4000 >/dev/null 2>&1 &&
			echo ended
	done
}

load_start()
{
	local i

	in_b rping -s -P -a $IP_B >/dev/null 2>&1 &
	loops=()
	: >"$OUT/rounds"
	for ((i = 0; i < clients; i++)); do
		connect_for_ever >>"$OUT/rounds" &
		loops+=($!)
	done
	wait_until 60 rounds_done $clients
}

rounds_done() { [ "$(wc -l <"$OUT/rounds")" -ge "$1" ]; }

# pids - of the programs: a namespace whose name is gone does not tell any more
pids() { { ip netns pids $NS_A; ip netns pids $NS_B; } 2>/dev/null; }

nobody_runs()
{
	local pid

	for pid in $running; do
		is_gone "$pid" || return
	done
}

# load_stop [PID...] - these, and those that there are
load_stop()
{
	kill -KILL "${loops[@]}" 2>/dev/null
	running="$* $(pids)"
	# shellcheck disable=SC2086
	kill -KILL $running 2>/dev/null
	wait_until $SOON nobody_runs
}

begin()
{
	set_up && wait_gid $DEV_B $IP_B
	ok $? "$1: devices"
	check "$1: connections come and go" load_start
}

after()
{
	check "$1: the programs can be killed" load_stop
	rdma link delete $DEV_A 2>/dev/null
	rdma link delete $DEV_B 2>/dev/null
	ip netns del $NS_A 2>/dev/null
	ip netns del $NS_B 2>/dev/null
	! is_loaded soro || check "$1: module unloads" unload_soro $SOON
	check "$1: nothing is left" nothing_left
}

link_delete()
{
	local name="link delete, CM"

	begin "$name"
	check "$name: the client's ends soon" soon rdma link delete $DEV_A
	check "$name: the server's ends soon" soon rdma link delete $DEV_B
	check "$name: a new link on the netdev" in_a rdma link add $DEV_A type "$LINK_TYPE" \
		netdev $IF_A
	after "$name"
}

netdev_delete()
{
	local name="netdev delete, CM"

	begin "$name"
	check "$name: returns soon" soon ip -n $NS_A link del $IF_A
	check "$name: both devices are gone" wait_until $SOON device_gone $DEV_A
	check "$name: the peer's too" wait_until $SOON device_gone $DEV_B
	after "$name"
}

namespace_delete()
{
	local name="namespace delete, CM" inside

	begin "$name"
	inside=$(pids)
	check "$name: returns soon" soon ip netns del $NS_A
	# shellcheck disable=SC2086
	load_stop $inside
	check "$name: the device is gone once they are" wait_until $SOON device_gone $DEV_A
	after "$name"
}

unload()
{
	local name="unload, CM"

	begin "$name"
	check "$name: rmmod ends soon" soon rmmod soro
	check "$name: no device" wait_until $SOON device_gone $DEV_B
	after "$name"
}

type -P rping >/dev/null || { echo "1..0 # SKIP no rping"; exit 0; }
! is_loaded soro || unload_soro
link_delete
netdev_delete
namespace_delete
unload
tap_end
