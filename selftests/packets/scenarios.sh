#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/packets/scenarios.sh [--ip 4|6] [PATTERN...] - hand-made packets against a live
# soro QP: scenarios/, or those whose names contain a pattern. TAP; run as root in a guest:
#
#	tools/lab/run -- selftests/packets/scenarios.sh [--times] [PATTERN...]
#
#	 ns soro-a                           ns soro-b
#	+---------------------------+      +-------------------------------+
#	| soro0 (rdma)              |      | no rdma, no IPv4 address:     |
#	| va 10.99.0.1/24, fd99::1  |------| vb, a packet socket,          |
#	|    10.99.0.9, fd99::9     |      |    fd99::2 for super-packets  |
#	+---------------------------+      +-------------------------------+
#
# The peer has to be found without ARP, since nobody answers for it. veth cuts what
# soro sends into packets.

here=$(dirname "$(readlink -f "$0")")
cd "$here/../net" || exit 1
. ./lib.sh
. ./programs.sh

SORO_BUILD=$("$here/../../tools/build-directory")
export SORO_BUILD
library=$SORO_BUILD/libsoro_qp.so

wire_up()
{
	ip netns add $NS_A && ip netns add $NS_B || return
	ip link add $IF_A mtu 4500 netns $NS_A type veth peer name $IF_B mtu 4500 netns $NS_B ||
		return
	mac_a=$(mac $NS_A $IF_A) mac_b=$(mac $NS_B $IF_B)
	ip -n $NS_B -batch - <<-END || return
	link set lo up
	address add $IP6_B/64 dev $IF_B nodad
	link set $IF_B up
	END
	ip -n $NS_A -batch - <<-END || return
	link set lo up
	address add $IP_A/24 dev $IF_A
	address add 10.99.0.9/24 dev $IF_A
	address add $IP6_A/64 dev $IF_A nodad
	address add fd99::9/64 dev $IF_A nodad
	link set $IF_A up
	neighbour replace $IP_B lladdr $mac_b dev $IF_A nud permanent
	neighbour replace $IP6_B lladdr $mac_b dev $IF_A nud permanent
	END
	ip -n $NS_B neighbour replace $IP6_A lladdr "$mac_a" dev $IF_B nud permanent &&
		in_a ethtool -K $IF_A tx-udp-segmentation off
}

set_up_one()
{
	clean_slate
	load_soro && wire_up &&
		in_a rdma link add $DEV_A type "$LINK_TYPE" netdev $IF_A && wait_active $DEV_A
}

[ -e "$library" ] || make -s -C "$here" "$library" || { echo "Bail out! no $library"; exit 1; }
set_up_one || { echo "Bail out! no device"; exit 1; }
index=$(rdma dev show $DEV_A | sed 's/:.*//')
status=0
/usr/bin/python3 -B "$here/scenarios.py" --library "$library" --device $DEV_A --index "$index" \
	--netns "/run/netns/$NS_B" --interface $IF_B --macs "$mac_a" "$mac_b" \
	--slow "${SORO_SLOW:-1}" "$@" || status=$?
clean_slate
exit $status
