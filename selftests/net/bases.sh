#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/bases.sh [NAME...] - kinds of netdevs under a link (bridge, bond, macvlan,
# ipvlan, dummy), each with its GIDs, data over IPv4 and IPv6, link delete, and the
# netdev deleted under a connection; and addresses of netdevs above the link's
# (VLAN, macvlan), with the tag on the wire and packets of another VLAN.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

NS_C=soro-c
DEV_C=soro2
SOON=${SOON:-15}
ALL="bridge bond macvlan ipvlan_l2 ipvlan_l3 dummy upper_vlan upper_macvlan"

# ---- topology ----

# wires - three namespaces, va and vb joined, nothing has an address
wires()
{
	local ns

	ip netns add $NS_A && ip netns add $NS_B && ip netns add $NS_C || return
	for ns in $NS_A $NS_B $NS_C; do
		ip -n $ns link set lo up
	done
	ip link add $IF_A mtu 4500 netns $NS_A type veth peer name $IF_B mtu 4500 netns $NS_B &&
		ip -n $NS_A link set $IF_A up && ip -n $NS_B link set $IF_B up
}

# address NAMESPACE NETDEV HOST [NET] - both addresses, and the netdev goes up
address()
{
	ip -n "$1" -batch - <<-END
	address add 10.${4:-99}.0.$3/24 dev $2
	address add fd${4:-99}::$3/64 dev $2 nodad
	link set $2 up
	END
}

no_wires()
{
	local dev ns

	for dev in $DEV_A $DEV_B $DEV_C; do
		[ ! -e "/sys/class/infiniband/$dev" ] || rdma link delete $dev
	done
	for ns in $NS_A $NS_B $NS_C; do
		[ ! -e "/run/netns/$ns" ] || ip netns del $ns
	done
}

# link NAMESPACE DEVICE NETDEV - a link, ready to send
link()
{
	ip netns exec "$1" rdma link add "$2" type "$LINK_TYPE" netdev "$3" && wait_active "$2"
}

device_gone() { [ ! -e "/sys/class/infiniband/$1" ]; }

# soon COMMAND... - succeeds within $SOON seconds
soon()
{
	local began=$SECONDS status=0

	timeout -k 5 60 "$@" || status=$?
	echo "$* took $((SECONDS - began)) s"
	[ $((SECONDS - began)) -le "$SOON" ] && return $status
}

# gid_netdev DEVICE ADDRESS NETDEV - the GID of the address, and whose it is
gid_netdev()
{
	local index got

	wait_until 20 find_gid4 index "$1" "$2" || { echo "no GID of $2"; return 1; }
	read -r got <"/sys/class/infiniband/$1/ports/1/gid_attrs/ndevs/$index" || return
	[ "$got" = "$3" ] || { echo "$2 is $got's, not $3's"; return 1; }
}

no_gid()
{
	local index

	! find_gid4 index "$1" "$2"
}

# ---- what every base must do ----

# base_works NAME NETDEV-A NETDEV-B - they have host 1 and 2 of net 99
base_works()
{
	check "$1: link" link $NS_A $DEV_A "$2"
	check "$1: the peer's" link $NS_B $DEV_B "$3"
	check "$1: GID of the address" gid_netdev $DEV_A $IP_A "$2"
	check "$1: IPv4 data" path4 data -n 1 -s 20000
	check "$1: IPv6 neighbour" wait_neighbour $NS_A $IP6_B
	check "$1: IPv6 data" path6 data -n 1 -s 20000
	check "$1: link delete" soon rdma link delete $DEV_A
	check "$1: link again" link $NS_A $DEV_A "$2"
}

# base_goes NAME NETDEV-A - deleted under a connection
base_goes()
{
	check "$1: connected" path_start path4 gone -T 12
	check "$1: the netdev is deleted" soon ip -n $NS_A link del "$2"
	check "$1: its link goes with it" wait_until $SOON device_gone $DEV_A
	check_fails "$1: and its connection" path_go gone
	check "$1: the peer's link is still there" test -e /sys/class/infiniband/$DEV_B
}

# ---- bases ----

try_bridge()
{
	ip -n $NS_A link add br0 type bridge && ip -n $NS_A link set $IF_A master br0 &&
		address $NS_A br0 1 && address $NS_B $IF_B 2
	base_works bridge br0 $IF_B
	# A port of a bridge has no address of its own; that of the bridge is above it.
	rdma link delete $DEV_A
	check "bridge port: link" link $NS_A $DEV_A $IF_A
	check "bridge port: GID of the bridge's address" gid_netdev $DEV_A $IP_A br0
	check "bridge port: data" path4 data -n 1
	rdma link delete $DEV_A
	check "bridge: link" link $NS_A $DEV_A br0
	base_goes bridge br0
}

# A second wire; the bond has both, and the other side bridges them.
bond_wires()
{
	ip link add va2 mtu 4500 netns $NS_A type veth peer name vb2 mtu 4500 netns $NS_B &&
		ip -n $NS_A link set $IF_A down &&
		ip -n $NS_A link add bond0 mtu 4500 type bond mode active-backup miimon 100 &&
		ip -n $NS_A link set $IF_A master bond0 && ip -n $NS_A link set va2 master bond0 &&
		ip -n $NS_B link add br0 type bridge && ip -n $NS_B link set $IF_B master br0 &&
		ip -n $NS_B link set vb2 master br0 && ip -n $NS_B link set vb2 up &&
		address $NS_A bond0 1 && address $NS_B br0 2
}

active_slave()
{
	ip netns exec $NS_A grep -q "^Currently Active Slave: $1\$" /proc/net/bonding/bond0
}

try_bond()
{
	local active=$IF_A other=va2

	check "bond: two wires" bond_wires
	check "bond: a slave is active" wait_until 20 active_slave 'va2*'
	active_slave $IF_A || { active=va2; other=$IF_A; }
	base_works bond bond0 br0
	check "bond: connected" path_start path4 over
	check "bond: the active slave fails" ip -n $NS_A link set $active down
	check "bond: the other one is active" wait_until 20 active_slave $other
	check "bond: the connection goes on" path_go over
	check "bond: port is still active" wait_active $DEV_A
	check "bond: and both wires go" ip -n $NS_A link set $other down
	check "bond: port is down" wait_until 20 file_has \
		/sys/class/infiniband/$DEV_A/ports/1/state DOWN
	ip -n $NS_A link set $active up
	check "bond: one comes back, port is active" wait_active $DEV_A
	check "bond: data" path4 data -n 1
	base_goes bond bond0
}

try_macvlan()
{
	ip -n $NS_A link add mv0 link $IF_A type macvlan mode bridge && address $NS_A mv0 1 &&
		address $NS_B $IF_B 2
	base_works macvlan mv0 $IF_B
	# Two on one netdev, in two namespaces: the packets do not reach the wire.
	ip -n $NS_A link add mv1 netns $NS_C link $IF_A type macvlan mode bridge &&
		address $NS_C mv1 3
	check "two macvlans: link" link $NS_C $DEV_C mv1
	check "two macvlans: data" path data -d $DEV_A -a $IP_A -D $DEV_C -A 10.99.0.3 -s 20000
	base_goes macvlan mv0
}

try_ipvlan_l2()
{
	ip -n $NS_A link add iv0 link $IF_A type ipvlan mode l2 && address $NS_A iv0 1 &&
		address $NS_B $IF_B 2
	base_works "ipvlan L2" iv0 $IF_B
	base_goes "ipvlan L2" iv0
}

# L3: nobody answers ARP for it: the netdev below it is the router.
l3_wires()
{
	address $NS_A $IF_A 1 && address $NS_B $IF_B 2 &&
		ip -n $NS_A link add iv0 netns $NS_C link $IF_A type ipvlan mode l3 &&
		address $NS_C iv0 1 97 &&
		ip -n $NS_C route add default dev iv0 && ip -n $NS_C -6 route add default dev iv0 &&
		ip -n $NS_B route add 10.97.0.0/24 via $IP_A &&
		ip -n $NS_B -6 route add fd97::/64 via $IP6_A
}

try_ipvlan_l3()
{
	check "ipvlan L3: a router and a namespace behind it" l3_wires
	check "ipvlan L3: link" link $NS_C $DEV_C iv0
	check "ipvlan L3: the peer's" link $NS_B $DEV_B $IF_B
	check "ipvlan L3: IPv4 data" path data -d $DEV_C -a 10.97.0.1 -D $DEV_B -A $IP_B -n 1 -s 20000
	check "ipvlan L3: IPv6 data" path data -d $DEV_C -a fd97::1 -D $DEV_B -A $IP6_B -n 1 -s 20000
	check "ipvlan L3: the netdev is deleted" soon ip -n $NS_C link del iv0
	check "ipvlan L3: its link goes with it" wait_until $SOON device_gone $DEV_C
}

# Nothing leaves a dummy: both ends are on the one device.
try_dummy()
{
	ip -n $NS_A link add d0 type dummy && address $NS_A d0 1
	check "dummy: link" link $NS_A $DEV_A d0
	check "dummy: GID of the address" gid_netdev $DEV_A $IP_A d0
	check "dummy: IPv4 data" path data -d $DEV_A -a $IP_A -n 1 -s 20000
	check "dummy: IPv6 data" path data -d $DEV_A -a $IP6_A -n 1 -s 20000
	check "dummy: link delete" soon rdma link delete $DEV_A
	check "dummy: link again" link $NS_A $DEV_A d0
	check "dummy: connected" path_start path gone -d $DEV_A -a $IP_A -T 12
	check "dummy: the netdev is deleted" soon ip -n $NS_A link del d0
	check "dummy: its link goes with it" wait_until $SOON device_gone $DEV_A
	check_fails "dummy: and its connection" path_go gone
}

# ---- addresses above the base ----

# vlan ID - on both netdevs, host 1 and 2 of net ID
vlans()
{
	ip -n $NS_A link add link $IF_A name $IF_A."$1" type vlan id "$1" &&
		ip -n $NS_B link add link $IF_B name $IF_B."$1" type vlan id "$1" &&
		address $NS_A $IF_A."$1" 1 "$1" && address $NS_B $IF_B."$1" 2 "$1"
}

# over_vlan NAME ARGUMENTS - soro_path between the addresses of VLAN 10
over_vlan()
{
	path "$1" -d $DEV_A -D $DEV_B -a 10.10.0.1 -A 10.10.0.2 "${@:2}"
}

rp_filter()
{
	ip netns exec $NS_B sysctl -q -w net.ipv4.conf.all.rp_filter="$1"
}

# resent WHAT moves|spares COUNTER - what a frame that was sent again did
resent()
{
	local line

	line=$(grep "^resent $1:" "$OUT/resent.path") || return
	echo "$line"
	case $2 in
	moves) grep -qw "$3" <<<"$line" ;;
	spares) ! grep -qw "$3" <<<"$line" ;;
	esac
}

# A request that was executed is sent again: taken, it is counted as a duplicate.
other_vlan()
{
	local other=20,10.20.0.1,10.20.0.2

	check "VLAN: strict reverse path" rp_filter 1
	check "VLAN: requests are sent again" over_vlan resent -c $IF_A -s 64 -n 1 -r 10 -r 30 -r 20 \
		-r 0 -r $other
	check "VLAN: taken in its own VLAN" resent 10 moves duplicate_request
	check "VLAN: unseen in a VLAN that is not there" resent 30 moves nothing
	check "VLAN: not taken in another VLAN" resent 20 moves nothing
	check "VLAN: not taken without a tag" resent 0 moves nothing
	check "VLAN: with the addresses of that other VLAN, dropped" resent $other moves drop_address
	check "VLAN: and not executed" resent $other spares duplicate_request
	# Which addresses a netdev answers to is a matter of IP, as for any socket.
	check "VLAN: no reverse path filter" rp_filter 0
	check "VLAN: requests are sent again" over_vlan resent -c $IF_A -s 64 -n 1 -r 20
	check "VLAN: what IP takes from another VLAN is taken" resent 20 moves duplicate_request
}

try_upper_vlan()
{
	address $NS_A $IF_A 1 && address $NS_B $IF_B 2
	check "VLAN: link" link $NS_A $DEV_A $IF_A
	check "VLAN: the peer's" link $NS_B $DEV_B $IF_B
	check "VLAN: two VLANs" eval "vlans 10 && vlans 20"
	check "VLAN: GID of the VLAN's address" gid_netdev $DEV_A 10.10.0.1 $IF_A.10
	check "VLAN: IPv4 data" over_vlan tag -c $IF_A -s 20000
	check "VLAN: each frame has the tag, both ways" each_frame tag "" vid=10
	check "VLAN: IPv6 data" path tag6 -d $DEV_A -D $DEV_B -a fd10::1 -A fd10::2 -c $IF_A -s 20000
	check "VLAN: each frame has the tag, both ways" each_frame tag6 "" vid=10 ip=6
	check "VLAN: data beside it" path4 bare -c $IF_A -n 1
	check "VLAN: without a tag" each_frame bare "" vid=-1
	other_vlan
	check "VLAN: connected" path_start over_vlan gone -T 12
	check "VLAN: the VLAN is deleted" soon ip -n $NS_A link del $IF_A.10
	check "VLAN: GID gone with it" wait_until $SOON no_gid $DEV_A 10.10.0.1
	check_fails "VLAN: the connection ends" path_go gone
	check "VLAN: in an error of its path" path_says gone '^failed WRITE transport retry counter'
	check "VLAN: other addresses work" path4 data -n 1
	check "VLAN: connected in the other" path_start path gone -d $DEV_A -D $DEV_B \
		-a 10.20.0.1 -A 10.20.0.2 -T 12
	check "VLAN: the netdev below is deleted" soon ip -n $NS_A link del $IF_A
	check "VLAN: its link goes with it" wait_until $SOON device_gone $DEV_A
	check_fails "VLAN: and the connection" path_go gone
}

# An upper netdev in another namespace has sockets and routes there, not here.
try_upper_macvlan()
{
	address $NS_A $IF_A 1 && address $NS_B $IF_B 2
	ip -n $NS_A link add mv0 link $IF_A type macvlan mode bridge && address $NS_A mv0 1 98
	ip -n $NS_B address add 10.98.0.2/24 dev $IF_B
	ip -n $NS_B address add fd98::2/64 dev $IF_B nodad
	check "macvlan above: link" link $NS_A $DEV_A $IF_A
	check "macvlan above: the peer's" link $NS_B $DEV_B $IF_B
	check "macvlan above: GID of its address" gid_netdev $DEV_A 10.98.0.1 mv0
	check "macvlan above: IPv4 data" path data -d $DEV_A -D $DEV_B -a 10.98.0.1 -A 10.98.0.2
	check "macvlan above: IPv6 data" path data -d $DEV_A -D $DEV_B -a fd98::1 -A fd98::2
	ip -n $NS_A link add mv1 netns $NS_C link $IF_A type macvlan mode bridge &&
		address $NS_C mv1 3 98
	path far -d $DEV_A -D $DEV_B -a 10.98.0.3 -A 10.98.0.2 -T 12 >/dev/null
	check "macvlan elsewhere: its address is refused" path_says far '^refused |^# 10.98.0.3'
	path far -d $DEV_A -D $DEV_B -a fd98::3 -A fd98::2 -T 12 >/dev/null
	check "macvlan elsewhere: IPv6 as well" path_says far '^refused |^# fd98::3'
	check "macvlan elsewhere: a link there" link $NS_C $DEV_C mv1
	check "macvlan elsewhere: data" path data -d $DEV_C -D $DEV_B -a 10.98.0.3 -A 10.98.0.2
}

# has KIND - does this kernel have such netdevs; tried, for some are built in
has()
{
	local kind=${1#upper_}

	kind=${kind%%_*}
	case $kind in
	bond)
		modprobe -q bonding max_bonds=0
		ip -n $NS_A link add has0 type bond
		;;
	vlan)
		modprobe -q 8021q
		ip -n $NS_A link add link $IF_A name has0 type vlan id 1
		;;
	macvlan|ipvlan)
		modprobe -q "$kind"
		ip -n $NS_A link add link $IF_A name has0 type "$kind"
		;;
	*)
		modprobe -q "$kind"
		ip -n $NS_A link add has0 type "$kind"
		;;
	esac && ip -n $NS_A link del has0
}

build_path && load_soro || { echo "Bail out! no module, or no program"; exit 1; }
[ $# -gt 0 ] || set -- $ALL
no_wires >/dev/null 2>&1
for kind; do
	check "$kind: two namespaces" wires
	if has "$kind" >/dev/null 2>&1; then
		try_"$kind"
	else
		skip "$kind" "no such netdevs in this kernel"
	fi
	check "$kind: nothing stays" no_wires
done
check "module unloads" unload_soro
tap_end
