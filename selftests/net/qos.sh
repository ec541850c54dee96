#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/qos.sh - what the path of a QP asks for, and what its frames carry:
# traffic class, hop limit, flow label, priority of a VLAN; the path MTU against the
# MTU of the netdev.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

FROM_A="src=$IP_A dst=$IP_B"
FROM_B="src=$IP_B dst=$IP_A"
FROM_A6="src=$IP6_A dst=$IP6_B"
FROM_B6="src=$IP6_B dst=$IP6_A"

# ---- fields of the IP header ----

fields4()
{
	check "IPv4: traffic" path4 t4 -c $IF_A -t 0xb8 -l 99
	check "IPv4: ToS of the path, both ways" each_frame t4 "" ip=4 tos=184
	# For RoCE the core puts the hop limit of the route into the path.
	check "IPv4: TTL of the system" each_frame t4 "" ttl=64
	check "IPv4: and so says the QP" path_says t4 '^path .* tclass=184 .*hops=64$'
	check "IPv4: route with a hop limit" ip -n $NS_A route replace 10.99.0.0/24 dev $IF_A \
		proto kernel scope link src $IP_A hoplimit 7
	check "IPv4: traffic, two ECN bits" path4 e4 -c $IF_A -t 0x2a
	check "IPv4: ToS with its ECN bits" each_frame e4 "" tos=42
	check "IPv4: TTL of that route" each_frame e4 "$FROM_A" ttl=7
	check "IPv4: the other end keeps its own" each_frame e4 "$FROM_B" ttl=64
	check "IPv4: traffic without a class" path4 z4 -c $IF_A
	check "IPv4: ToS 0" each_frame z4 "" tos=0
}

fields6()
{
	check "IPv6: traffic" path6 t6 -c $IF_A -t 0x28 -f 0x12345
	check "IPv6: traffic class and flow label" each_frame t6 "" ip=6 tos=40 label=$((0x12345))
	check "IPv6: hop limit of the system" each_frame t6 "" ttl=64
	check "IPv6: route with a hop limit" ip -n $NS_A -6 route replace fd99::/64 dev $IF_A \
		proto kernel metric 256 hoplimit 9
	check "IPv6: traffic, every bit" path6 e6 -c $IF_A -t 0xff -f 0xfffff
	check "IPv6: all bits of class and label" each_frame e6 "" tos=255 label=$((0xfffff))
	check "IPv6: hop limit of that route" each_frame e6 "$FROM_A6" ttl=9
	check "IPv6: the other end keeps its own" each_frame e6 "$FROM_B6" ttl=64
	check "IPv6: traffic without" path6 z6 -c $IF_A
	check "IPv6: class and label 0" each_frame z6 "" tos=0 label=0
	check "single packets" set_train_max 1
	check "single packets: traffic" path6 s6 -c $IF_A -t 0x28 -f 0x54321
	check "single packets: the same fields" each_frame s6 "" tos=40 label=$((0x54321))
	check "trains again" set_train_max 64
}

# The ToS chooses the priority of a packet, a VLAN maps that to its own.
vlan_priority()
{
	if ! ip -n $NS_A link add link $IF_A name $IF_A.10 type vlan id 10 \
		egress-qos-map 0:0 6:5 2>/dev/null; then
		skip "VLAN priority" "no 8021q here"
		return
	fi
	ip -n $NS_A address add 10.99.10.1/24 dev $IF_A.10
	ip -n $NS_A link set $IF_A.10 up
	ip -n $NS_B link add link $IF_B name $IF_B.10 type vlan id 10
	ip -n $NS_B address add 10.99.10.2/24 dev $IF_B.10
	ip -n $NS_B link set $IF_B.10 up
	check "VLAN: traffic, ToS 0x10" path vq -d $DEV_A -D $DEV_B -a 10.99.10.1 -A 10.99.10.2 -c $IF_A -t 0x10
	check "VLAN: priority 5 from where it is mapped" each_frame vq "src=10.99.10.1" \
		vid=10 pcp=5
	check "VLAN: none from where it is not" each_frame vq "src=10.99.10.2" vid=10 pcp=0
	check "VLAN: traffic, ToS 0" path vz -d $DEV_A -D $DEV_B -a 10.99.10.1 -A 10.99.10.2 -c $IF_A
	check "VLAN: priority 0" each_frame vz "" vid=10 pcp=0
	# Its MTU may be smaller than that of the netdev below.
	ip -n $NS_A link set $IF_A.10 mtu 1500
	path vm -d $DEV_A -D $DEV_B -a 10.99.10.1 -A 10.99.10.2 -m 4096 -n 1 -T 12 >/dev/null
	check "VLAN: path MTU above its own is refused" path_says vm '^refused EINVAL$'
	check "VLAN: that of its own" path vm -d $DEV_A -D $DEV_B -a 10.99.10.1 -A 10.99.10.2 -n 1
}

# ---- MTU ----

set_mtu()
{
	ip -n $NS_A link set $IF_A mtu "$1" && ip -n $NS_B link set $IF_B mtu "$1"
}

is_refused()
{
	path4 "$1" -m "$2" -n 0
	[ $? = 3 ] && path_says "$1" '^refused EINVAL$'
}

# 96 bytes are kept for all headers of a packet.
path_mtus()
{
	local row mtu active above

	for row in 4192:4096 4191:2048:4096 1500:1024:2048 608:512:1024 607:256:512; do
		IFS=: read -r mtu active above <<<"$row"
		check "MTU $mtu" set_mtu "$mtu"
		check "MTU $mtu: active MTU $active, data of that path MTU" path4 mtu -m "$active" -n 1
		check "MTU $mtu: it says so" path_says mtu "^port active_mtu=$active\$"
		[ -z "$above" ] ||
			check "MTU $mtu: path MTU $above is refused" is_refused mtu "$above"
	done
	check "MTU 4192 for IPv6" set_mtu 4192
	# Lower MTUs have taken the address away.
	check "addresses again" addresses6
	check "neighbour again" wait_neighbour $NS_A $IP6_B
	check "MTU 4192: IPv6, path MTU 4096" path6 mtu6 -m 4096 -n 1
}

addresses6()
{
	ip -n $NS_A address replace $IP6_A/64 dev $IF_A nodad &&
		ip -n $NS_B address replace $IP6_B/64 dev $IF_B nodad
}

# A netdev whose MTU shrinks below what a QP sends: a path that loses, no more.
mtu_shrinks()
{
	check "connection of path MTU 4096" path_start path4 shrink -m 4096 -T 12
	check "MTU 1500 now" set_mtu 1500
	path_go shrink
	check "its retries run out" path_says shrink '^failed WRITE transport retry counter exceeded'
	check "connection of path MTU 1024" path_start path4 grow -m 1024
	check "MTU 4500 now" set_mtu 4500
	check "data arrive" path_go grow
	check "path MTU 4096 again" path4 mtu -m 4096 -n 1
}

modprobe -q 8021q
build_path && set_up || { echo "Bail out! no pair of devices, or no program"; exit 1; }
fields4
fields6
vlan_priority
path_mtus
mtu_shrinks
pair_down
tap_end
