#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/mcast.sh [--quick] [soro_verbs options] - multicast groups: who hears them, over
# two namespaces and on one device; what a netdev is a member of while QPs are attached, when
# netdevs come and go, and that nothing stays behind.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

limit=600
options=()
if [ "${1:-}" = --quick ]; then
	options=(-q)
	shift
fi
options+=("$@")

# Group 99 of the test, which mcast/watch joins
GROUP=239.44.0.99
GROUP6=ff15::2c:63
MAC=01:00:5e:2c:00:63

# member NETDEV GROUP [NAMESPACE] - a command that finds out
member()
{
	echo "ip -n ${3:-$NS_A} maddress show dev $1 | grep -qw $2"
}

# watch NAME WHILE AFTER [OPTIONS] - a test: both commands succeed, the one while a QP of
# namespace A is attached, the other after that
watch()
{
	check_verbs "$1:" 60 -d $DEV_A -t mcast/watch -C "$2" -M "$3" "${@:4}"
}

# during COMMAND - it runs while a QP of namespace A is attached; the program ends, somehow
during()
{
	timeout -k 5 60 "$SORO_VERBS" -d $DEV_A -t mcast/watch -C "$1"
	[ $? -lt 124 ]
}

qp="rdma resource show qp link $DEV_A/1 | grep -q 'type UD'"
no_qp() { ! eval "$qp"; }

killed()
{
	timeout -k 5 60 "$SORO_VERBS" -d $DEV_A -t mcast/watch -C "$qp && kill -9 \$PPID"
	[ $? = 137 ]
}

no_member() { ! eval "$(member "$@")"; }
no_device() { [ ! -e /sys/class/infiniband/$DEV_A ]; }

bounce()
{
	check_verbs "$1:" 60 -d $DEV_A -D $DEV_B -t mcast/bounce "${@:2}" \
		-C "ip -n $NS_B link set $IF_B down" \
		-M "ip -n $NS_B link set $IF_B up
		    until ip -n $NS_A link show $IF_A | grep -q 'state UP' &&
			  ip -n $NS_B link show $IF_B | grep -q 'state UP'; do sleep 0.1; done"
}

vlan_a=a vlan_b=b

# vlan_up NS NETDEV ADDRESS - without a link-local address, which would be a GID too
vlan_up()
{
	ip -n "$1" link add link "$2" name "$2.7" type vlan id 7 &&
	ip -n "$1" link set "$2.7" addrgenmode none &&
	ip -n "$1" link set "$2.7" up &&
	ip -n "$1" address add "$3/24" dev "$2.7"
}

vlans_up()
{
	vlan_up $NS_A $IF_A 10.99.7.1 && vlan_up $NS_B $IF_B 10.99.7.2 &&
	wait_until 20 find_gid4 vlan_a $DEV_A 10.99.7.1 &&
	wait_until 20 find_gid4 vlan_b $DEV_B 10.99.7.2 &&
	[ "$vlan_a" = "$vlan_b" ]
}

vlans_down()
{
	ip -n $NS_A link del $IF_A.7
	ip -n $NS_B link del $IF_B.7
}

build_verbs && set_up || { echo "Bail out! no pair of devices"; exit 1; }

check_verbs "two namespaces:" $limit -d $DEV_A -D $DEV_B -t 'mcast/*' "${options[@]}"
check_verbs "IPv6:" $limit -d $DEV_A -D $DEV_B -6 -q -t 'mcast/[!m]*' -t mcast/many \
	"${options[@]}"
check_verbs "one device:" $limit -d $DEV_A -t mcast/delivery -t mcast/qpn "${options[@]}"
check_verbs "one device, IPv6:" $limit -d $DEV_A -6 -t mcast/delivery "${options[@]}"

check "VLANs, whose addresses have the same index" vlans_up
check_verbs "over VLANs:" $limit -d $DEV_A -D $DEV_B -g "$vlan_a" -t mcast/delivery
check "VLANs removed" vlans_down

watch "IGMP" "$(member $IF_A $GROUP)" "! $(member $IF_A $GROUP)"
watch "MAC filter" "$(member $IF_A $MAC)" "! $(member $IF_A $MAC)"
watch "MLD" "$(member $IF_A $GROUP6)" "! $(member $IF_A $GROUP6)" -6
in_b sysctl -qw net.ipv6.conf.$IF_B.keep_addr_on_down=1
bounce "down and up"
bounce "down and up, IPv6" -6

# ---- VLANs above the netdev ----

vlan=$IF_A.7
add_vlan="ip -n $NS_A link add link $IF_A name $vlan up type vlan id 7"
watch "a new VLAN" "$add_vlan && $(member $vlan $GROUP)" "! $(member $vlan $GROUP)"
watch "a VLAN" "$(member $vlan $GROUP6)" "! $(member $vlan $GROUP6)" -6
watch "a VLAN that goes" "ip -n $NS_A link del $vlan && $(member $IF_A $GROUP)" \
	"! $(member $IF_A $GROUP)"

# ---- what is torn away ----

small="ip -n $NS_A link set $IF_A mtu"
watch "MTU too small for IPv6" "$small 1000 && ! $(member $IF_A $GROUP6) && $small 4500 &&
	$(member $IF_A $GROUP6)" "! $(member $IF_A $GROUP6)" -6

check "a process that is killed" killed
check "nothing of it is left" no_qp
check "it left the group" no_member $IF_A $GROUP

check "link deleted" during "rdma link delete $DEV_A"
check "device is gone" wait_until 20 no_device
check "it left the group" no_member $IF_A $GROUP
pair_down >/dev/null 2>&1

check "a new pair" set_up
check "netdev moved to another namespace" during "ip -n $NS_A link set $IF_A netns $NS_B"
check "device is gone" wait_until 20 no_device
check "no member there" no_member $IF_A $GROUP $NS_B
pair_down >/dev/null 2>&1

check "a new pair" set_up
check "netdev removed" during "ip -n $NS_A link del $IF_A"
check "device is gone" wait_until 20 no_device
pair_down >/dev/null 2>&1

check "a new pair" set_up
check "module unloaded" during "until rmmod soro; do sleep 0.1; done"
check "it left the group" no_member $IF_A $GROUP
pair_down >/dev/null 2>&1
tap_end
