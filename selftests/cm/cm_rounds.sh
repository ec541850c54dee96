#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/cm/cm_rounds.sh [ROUNDS [CLIENTS [SEED]]] - soro_cm over two namespaces and on one
# device, IPv4 and IPv6: ROUNDS (20) of connect, transfer and disconnect, as many with a side
# killed, CLIENTS (40) at once; what cannot be reached; and afterwards nothing is left.
# From 100 rounds on also what takes the connection manager's own time.

here=$(dirname "$(readlink -f "$0")")
cd "$here/../net" || exit 1
. ./lib.sh
. ./programs.sh

rounds=${1:-20} clients=${2:-40} seed=${3:-$RANDOM}
SORO_CM=${SORO_CM:-${SORO_BUILD:-$here}/soro_cm}
NS_C=soro-c DEV_C=soro2

build_cm()
{
	[ -x "$SORO_CM" ] && return
	make -C "$here" SORO_BUILD="$OUT" >"$OUT/build" 2>&1 || return
	SORO_CM=$OUT/soro_cm
}

# cm PREFIX CLIENT-NS SERVER-NS SERVER CLIENT OPTIONS - its tests
cm()
{
	local prefix=$1 from=$2 to=$3 server=$4 client=$5

	shift 5
	check_tap "$prefix" $((900 + rounds * 20)) nsenter --net="/run/netns/$from" "$SORO_CM" \
		-a "$server" -c "$client" -N "/run/netns/$to" -s "$seed" "$@"
}

two4() { cm "two namespaces:" $NS_A $NS_B $IP_B $IP_A "$@"; }
two6() { cm "two namespaces, IPv6:" $NS_A $NS_B $IP6_B $IP6_A "$@"; }
one4() { cm "one device:" $NS_A $NS_A $IP_A $IP_A "$@"; }
one6() { cm "one device, IPv6:" $NS_A $NS_A $IP6_A $IP6_A "$@"; }

# ---- what stays behind ----

resources() { rdma resource show | cut -d' ' -f2-; }

same_resources() { [ "$(resources)" = "$resources_before" ]; }

# A connection that has ended is remembered for a while.
nothing_left()
{
	wait_until 60 same_resources && return
	echo "before:"
	echo "$resources_before"
	rdma resource show
	rdma resource show qp
	rdma resource show cm_id
	return 1
}

slab_kib() { awk '/^SUnreclaim:/ { print $2 }' /proc/meminfo; }

# ---- networks that lead nowhere ----

# A third device, with the address of the first one, on a cable to nobody.
third_up()
{
	ip netns add $NS_C
	ip link add vc mtu 4500 netns $NS_C type veth peer name vd netns $NS_C
	ip -n $NS_C link set lo up
	ip -n $NS_C address add $IP_A/24 dev vc
	ip -n $NS_C link set vd up
	ip -n $NS_C link set vc up
	# Requests do leave: the neighbour seems to be there.
	ip -n $NS_C neighbour add $IP_B dev vc lladdr 02:00:00:00:00:01
	ip netns exec $NS_C rdma link add $DEV_C type "$LINK_TYPE" netdev vc && wait_active $DEV_C
}

third_down()
{
	rdma link delete $DEV_C
	ip netns del $NS_C
}

unreachable()
{
	check "a third namespace, with no network to the others" third_up
	cm "no network:" $NS_C $NS_B $IP_B $IP_A -t isolated
	third_down
	cm "no neighbour:" $NS_A $NS_B ${IP_B%.*}.77 $IP_A -t nobody
}

# silence NAMESPACE - it hears nothing on the RoCE port
silence()
{
	ip netns exec "$1" nft -f - <<-END
	add table inet silence
	add chain inet silence in { type filter hook input priority -400; }
	add rule inet silence in udp dport 4791 drop
	END
}

silence_ends() { ip netns exec "$1" nft delete table inet silence; }

silent()
{
	check "a peer that hears nothing" silence $NS_B
	two4 -t silent
	check "it hears again" silence_ends $NS_B
	two4 -t closed-port
}

# ---- the test ----

modprobe -q rdma_ucm
build_cm || { cat "$OUT/build"; echo "Bail out! no soro_cm"; exit 1; }
set_up && wait_gid $DEV_A $IP6_A && wait_gid $DEV_B $IP6_B ||
	{ echo "Bail out! no pair of devices"; exit 1; }
if ! has_cm; then
	skip "connection manager" "$DEV_A does not promise one"
	pair_down
	tap_end
	exit
fi
# A few rounds are for what depends on the path.
path=()
[ "$rounds" -ge 20 ] || path=(-t rounds -t killed -t datagrams -t multicast)
resources_before=$(resources)
# The first connections fill caches that the kernel keeps.
two4 -t rounds -n 5
check "nothing is left" nothing_left
free_before=$(free_kib) slab_before=$(slab_kib)
two4 -n "$rounds" -m "$clients"
check "nothing is left" nothing_left
one4 -n "$rounds" -m "$clients" "${path[@]}"
check "nothing is left" nothing_left
two6 -n $((rounds / 4 + 1)) -m $((clients / 4 + 1)) "${path[@]}"
one6 -n $((rounds / 4 + 1)) -m $((clients / 4 + 1)) "${path[@]}"
check "nothing is left" nothing_left
free_after=$(free_kib) slab_after=$(slab_kib)
echo "# free $free_before KiB before, $free_after KiB after; slab $slab_before and $slab_after"
lost=$((free_before - free_after)) kept=$((slab_after - slab_before))
if [ -e /sys/kernel/debug/kmemleak ]; then
	skip "slab does not grow by 4 MiB" "KASAN keeps what is freed; kmemleak looks for leaks"
	lost=$((lost - kept))
else
	check "slab does not grow by 4 MiB" test $kept -lt 4096
fi
check "free memory does not shrink by 16 MiB" test $lost -lt 16384
unreachable
[ "$rounds" -lt 100 ] || silent
pair_down
tap_end
