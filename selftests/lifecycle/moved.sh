#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/lifecycle/moved.sh - a device is moved to another RDMA namespace
# (exclusive mode) and deleted there: its knobs go with it, and it can be added again.

cd "$(dirname "$0")" || exit 1
. ./lib.sh

OTHER=soro-other

gone() { [ ! -e "$DEBUGFS/$DEV_A" ]; }
add() { rdma link add $DEV_A type "$LINK_TYPE" netdev $IF_A; }
count_knobs() { find "$DEBUGFS/$DEV_A" -type f | wc -l; }

clean_slate
load_soro || exit 1
# Only while there is no other network namespace.
check "exclusive mode" rdma system set netns exclusive
ip link add $IF_A type veth peer name $IF_B
ip link set $IF_A up
ip link set $IF_B up
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
ip netns delete $OTHER
check "shared mode again" wait_until 10 rdma system set netns shared
check "module unloads" unload_soro
tap_end
