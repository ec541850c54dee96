#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/lifecycle/netdev.sh - the netdev under a link goes down, changes its MTU
# or name, moves to another namespace or is deleted, while traffic runs.

cd "$(dirname "$0")" || exit 1
. ./lib.sh

# begin NAME [OPTIONS] - options of the traffic
begin()
{
	local name=$1

	shift
	echo "# --- $name"
	set_up
	ok $? "$name: devices"
	check "$name: traffic runs" traffic_start "$@"
}

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

port_state() { grep -q "$2" "/sys/class/infiniband/$1/ports/1/state"; }

active_mtu()
{
	ibv_devinfo -d "$1" | grep -q "active_mtu:[[:space:]]*$2 "
}

# sent_more_than N - packets of the device
sent_more_than()
{
	[ "$(cat "/sys/class/infiniband/$DEV_A/ports/1/hw_counters/sent_pkts")" -gt "$1" ]
}

# begin_long NAME - one long test: one that begins while the netdev is down could not connect.
begin_long()
{
	echo "# --- $1"
	set_up
	ok $? "$1: devices"
	traffic_log=$OUT/traffic.$RANDOM
	"$SORO_VERBS" -d $DEV_A -D $DEV_B -q -t mixed/traffic -T 10 -w 30000 >"$traffic_log" 2>&1 &
	traffic=$!
	check "$1: traffic runs" wait_until 60 sent_more_than 300
}

# The timeout of its QPs, 1 s, and seven retries are longer than the netdev was down.
goes_on_to_its_end()
{
	wait_until 100 is_gone "$traffic"
	check "traffic goes on to its end" grep -q '^ok 1 ' "$traffic_log"
	grep -q '^ok 1 ' "$traffic_log" || sed 's/^/# /' "$traffic_log" | tail -n 20
}

# Tasks must not hang when the link goes down under load.
stays_down()
{
	# Short timeouts: 8 tries of 67 to 268 ms.
	begin "stays down" -L
	check "down" ip -n $NS_A link set $IF_A down
	check "its QPs end in an error" wait_until 120 grep -q '^not ok' "$traffic_log"
	check "link delete ends soon" soon rdma link delete $DEV_A
	after "stays down"
}

# A link that has just come up does not know its neighbours, nor they it.
up_again()
{
	ip -n $NS_A link set $IF_A up && wait_neighbour $NS_A $IP6_B && wait_neighbour $NS_B $IP6_A
}

# Each QP under load ends within the time that its own timeout and retries give, and
# once the link is up again new ones work.
down_under_load()
{
	local six

	echo "# --- down under load"
	set_up
	ok $? "down under load: devices"
	# else the address, and the GID, go with the link, and IPv4's do not
	in_a sysctl -q -w net.ipv6.conf.$IF_A.keep_addr_on_down=1
	{
		declare -p NS_A NS_B IF_A IP6_A IP6_B
		declare -f up_again wait_neighbour neighbour_answers wait_until
		echo up_again
	} >"$OUT/up_again"
	for six in '' -6; do
		check_verbs "down under load${six:+, IPv6}:" 250 -d $DEV_A -D $DEV_B -t 'cut/*' $six \
			--cut "ip -n $NS_A link set $IF_A down" --mend "bash $OUT/up_again"
	done
	pair_down
	check "down under load: module unloads" unload_soro $SOON
	check "down under load: nothing is left" nothing_left
}

mtu_change()
{
	begin "MTU"
	check "active MTU is 4096" active_mtu $DEV_A 4096
	check "MTU 1500 here" ip -n $NS_A link set $IF_A mtu 1500
	check "MTU 1500 there" ip -n $NS_B link set $IF_B mtu 1500
	check "active MTU is 1024" wait_until $SOON active_mtu $DEV_A 1024
	check "traffic of path MTU 1024 goes on" still_runs
	check "MTU 4500 here" ip -n $NS_A link set $IF_A mtu 4500
	check "MTU 4500 there" ip -n $NS_B link set $IF_B mtu 4500
	check "active MTU is 4096 again" wait_until $SOON active_mtu $DEV_A 4096
	check "traffic goes on" still_runs
	after "MTU"
}

# 6.1 renames only what is down.
down_renamed_up()
{
	begin_long "down, renamed, up"
	check "down" ip -n $NS_A link set $IF_A down
	check "port is down" wait_until $SOON port_state $DEV_A DOWN
	check "renamed" ip -n $NS_A link set $IF_A name other0
	check "up" ip -n $NS_A link set other0 up
	check "port is active" wait_until $SOON port_state $DEV_A ACTIVE
	check "the device keeps its name" test -e /sys/class/infiniband/$DEV_A
	check "it knows the new name" bash -c "rdma link show $DEV_A/1 | grep -q 'netdev other0' ||
		ip netns exec $NS_A rdma link show $DEV_A/1 | grep -q 'netdev other0'"
	goes_on_to_its_end
	after "down, renamed, up"
}

move_netdev()
{
	begin "move" -w 4000
	ip netns add soro-c
	check "move to another namespace" soon ip -n $NS_A link set $IF_A netns soro-c
	check "the link goes with the move" wait_until $SOON device_gone $DEV_A
	check "no socket in the old namespace" wait_until $SOON \
		bash -c "! ip netns exec $NS_A grep -qi ':12B7 ' /proc/net/udp"
	check "its QPs end in an error" wait_until 120 grep -q '^not ok' "$traffic_log"
	check "a link in the new namespace" ip netns exec soro-c rdma link add $DEV_A \
		type "$LINK_TYPE" netdev $IF_A
	check "and back" soon ip -n soro-c link set $IF_A netns $NS_A
	check "the link goes again" wait_until $SOON device_gone $DEV_A
	ip netns del soro-c
	after "move"
}

delete_netdev()
{
	begin "netdev delete" -w 4000
	check "delete" soon ip -n $NS_A link del $IF_A
	check "the link goes with it" wait_until $SOON device_gone $DEV_A
	check "the other end of the veth too" wait_until $SOON device_gone $DEV_B
	check "its QPs end in an error" wait_until 120 grep -q '^not ok' "$traffic_log"
	after "netdev delete"
}

build_verbs || { echo "Bail out! no verbs test"; exit 1; }
! is_loaded soro || unload_soro
down_renamed_up
stays_down
down_under_load
mtu_change
move_netdev
delete_netdev
tap_end
