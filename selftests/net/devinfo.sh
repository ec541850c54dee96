#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/devinfo.sh - what ibv_devinfo -v, unmodified, says of the device is what the
# netdev below it is.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

# field NAME - its value as ibv_devinfo prints it now
field()
{
	ibv_devinfo -v -d $DEV_A >"$OUT/devinfo" || return
	sed -n "s/^[[:space:]]*$1:[[:space:]]*//p" "$OUT/devinfo" | head -n 1
}

# says NAME VALUE - soon
says()
{
	wait_until 10 field_is "$1" "$2" || { echo "$1 is $(field "$1")"; return 1; }
}

field_is()
{
	[ "$(field "$1")" = "$2" ]
}

# says_mtu BYTES CODE - of the netdev, as the path MTU that fits into it
says_mtu()
{
	ip -n $NS_A link set $IF_A mtu "$1" && says active_mtu "$2"
}

# The GUID is made of the MAC address as IPv6 does it, without the flipped bit of "local".
guid_of_mac()
{
	local mac=$1

	echo "${mac:0:2}${mac:3:2}:${mac:6:2}ff:fe${mac:9:2}:${mac:12:2}${mac:15:2}"
}

mac_is_guid()
{
	local mac guid

	mac=$(ip -n $NS_A -br link show dev $IF_A | awk '{ print $3 }')
	guid=$(field node_guid)
	echo "node_guid is $guid, the MAC address $mac"
	[ "${guid:4}" = "$(guid_of_mac "$mac" | cut -c 5-)" ] && [ "$(field sys_image_guid)" = "$guid" ]
}

has_gid()
{
	field transport >/dev/null
	grep -q "GID.*$1, RoCE v2" "$OUT/devinfo"
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
check "transport" says transport "InfiniBand (0)"
check "link layer" says link_layer Ethernet
check "ports" says phys_port_cnt 1
check "GUIDs" mac_is_guid
check "largest path MTU" says max_mtu "4096 (5)"
check "path MTU of a netdev of 1500" says_mtu 1500 "1024 (3)"
check "path MTU of a netdev of 2200" says_mtu 2200 "2048 (4)"
check "path MTU of a netdev of 9000" says_mtu 9000 "4096 (5)"
check "longest message" says max_msg_sz 0x80000000
check "atomics" says atomic_cap "ATOMIC_GLOB (2)"
check "IPv4 address" wait_until 10 has_gid "::ffff:$IP_A"
check "IPv6 address" wait_until 10 has_gid "$IP6_A"
check "up" says state "PORT_ACTIVE (4)"
check "physically" says phys_state "LINK_UP (5)"
ip -n $NS_A link set $IF_A down
check "down" says state "PORT_DOWN (1)"
ip -n $NS_A link set $IF_A up
check "up again" says state "PORT_ACTIVE (4)"
pair_down
tap_end
