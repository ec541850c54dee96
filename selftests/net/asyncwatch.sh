#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/asyncwatch.sh - what ibv_asyncwatch, unmodified, hears of port and device. Events
# of QPs and CQs go to the program that made them: selftests/verbs, cq/*, async/*, sqd/*.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

watch=
watch_start()
{
	stdbuf -oL ibv_asyncwatch -d $DEV_A >"$OUT/watch" 2>&1 &
	watch=$!
	wait_until 20 file_has "$OUT/watch" "async event FD"
}

watch_stop()
{
	kill "$watch" 2>/dev/null
	wait "$watch" 2>/dev/null
}

# heard EVENT - how often, printed
heard()
{
	grep -c "event_type IBV_EVENT_$1 " "$OUT/watch"
}

heard_more()
{
	[ "$(heard "$1")" -gt "$2" ]
}

# expect EVENT COMMAND... - the command is heard of
expect()
{
	local before

	before=$(heard "$1")
	"${@:2}" && wait_until 20 heard_more "$1" "$before"
}

# expect_one EVENT COMMAND... - and once
expect_one()
{
	local before

	before=$(heard "$1")
	expect "$@" && sleep 0.3 && [ "$(heard "$1")" = $((before + 1)) ]
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
check "ibv_asyncwatch opens the device" watch_start
check "netdev down: PORT_ERR" expect_one PORT_ERR ip -n $NS_A link set $IF_A down
check "netdev up: PORT_ACTIVE" expect_one PORT_ACTIVE ip -n $NS_A link set $IF_A up
check "no carrier: PORT_ERR" expect_one PORT_ERR ip -n $NS_B link set $IF_B down
check "carrier: PORT_ACTIVE" expect_one PORT_ACTIVE ip -n $NS_B link set $IF_B up
check "address added: GID_CHANGE" expect GID_CHANGE \
	ip -n $NS_A address add 10.99.7.1/24 dev $IF_A
check "address removed: GID_CHANGE" expect GID_CHANGE \
	ip -n $NS_A address del 10.99.7.1/24 dev $IF_A
check "link deleted: DEVICE_FATAL" expect_one DEVICE_FATAL rdma link delete $DEV_A
watch_stop

check "link added again" in_a rdma link add $DEV_A type "$LINK_TYPE" netdev $IF_A
check "ibv_asyncwatch opens it" watch_start
check "netdev removed: DEVICE_FATAL" expect_one DEVICE_FATAL ip -n $NS_A link del $IF_A
watch_stop
net_down
tap_end
