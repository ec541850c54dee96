#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/lifecycle/moved.sh - a device is moved to another RDMA namespace
# (exclusive mode) and deleted there: its knobs go with it, and it can be added again.
# Its netdev goes while it moves: it goes too.

cd "$(dirname "$0")" || exit 1
. ./lib.sh

OTHER=soro-other

gone() { [ ! -e "$DEBUGFS/$DEV_A" ]; }
add() { rdma link add $DEV_A type "$LINK_TYPE" netdev $IF_A; }
count_knobs() { find "$DEBUGFS/$DEV_A" -type f | wc -l; }

veth_up()
{
	ip link add $IF_A type veth peer name $IF_B && ip link set $IF_A up && ip link set $IF_B up
}

nowhere() { [ -z "$(rdma dev show; ip netns exec $OTHER rdma dev show)" ]; }

# Before, during or after the move, as it comes: a veth goes faster than a device moves.
netdev_goes_while_moving()
{
	local i mover

	for ((i = 0; i < 5; i++)); do
		veth_up && add || return 1
		rdma dev set $DEV_A netns $OTHER 2>/dev/null &
		mover=$!
		sleep 0.0$((2 * i))
		timeout 30 ip link delete $IF_A || { echo "round $i: the netdev stays"; return 1; }
		wait $mover
		wait_until 10 nowhere || { echo "round $i: the device stays"; return 1; }
	done
}

clean_slate
load_soro || exit 1
# Only while there is no other network namespace.
check "exclusive mode" rdma system set netns exclusive
check "netdev" veth_up
check "link add" add
knobs=$(count_knobs)
check "knobs are there" test "$knobs" -gt 0
ip netns add $OTHER
check "move" rdma dev set $DEV_A netns $OTHER
check "knobs are there, once" test "$(count_knobs)" = "$knobs"
check "link delete, there" ip netns exec $OTHER rdma link delete $DEV_A
check "knobs are gone" wait_until 10 gone
check "link add again" add
check "knobs again" test "$(count_knobs)" = "$knobs"
check "link delete" rdma link delete $DEV_A
ip link delete $IF_A
check "netdev goes while the device moves" netdev_goes_while_moving
ip netns delete $OTHER
check "shared mode again" wait_until 10 rdma system set netns shared
check "module unloads" unload_soro
tap_end
