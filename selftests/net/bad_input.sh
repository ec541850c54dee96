#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/bad_input.sh - link add and module load that must be refused: each
# with its own errno and one line in the kernel log that names the reason, and
# nothing stays behind: no link, no socket, and the module can be unloaded.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

# Lines of the kernel log since mark_log.
mark_log() { log_lines=$(dmesg | wc -l); }
log_since() { dmesg | tail -n +$((log_lines + 1)); }

# complains_once REGEX - exactly one new line of soro, and it says so
complains_once()
{
	local lines

	lines=$(log_since | grep -c 'soro: ')
	if [ "$lines" != 1 ] || ! log_since | grep 'soro: ' | grep -qE "$1"; then
		echo "$lines lines in the kernel log instead of one with \"$1\":"
		log_since
		return 1
	fi
}

# leaves_nothing - as before the refusal
leaves_nothing()
{
	local n

	n=$(links)
	[ "$n" = "$links_before" ] || { echo "$n links, not $links_before"; rdma link show; return 1; }
	n=$(sockets_4791)
	[ "$n" = "$sockets_before" ] || { echo "$n sockets, not $sockets_before"; return 1; }
}

# refused NAME ERROR REGEX COMMAND... - ERROR is the text of the errno; a REGEX
# of - means that the core refuses before soro is asked, and no line is due
refused()
{
	local name=$1 error=$2 regex=$3

	shift 3
	mark_log
	links_before=$(links) sockets_before=$(sockets_4791)
	if "$@" >"$OUT/refused" 2>&1; then
		echo "# $*: no error"
		ok 1 "$name is refused"
		return
	fi
	grep -q "$error" "$OUT/refused" || sed 's/^/# /' "$OUT/refused"
	check "$name: $error" grep -q "$error" "$OUT/refused"
	[ "$regex" = - ] || check "$name: one clear line" complains_once "$regex"
	check "$name: leaves nothing" leaves_nothing
}

add() { rdma link add "$1" type "$LINK_TYPE" netdev "$2"; }

# the errors of a link add
netdevs()
{
	modprobe -q dummy
	modprobe -q 8021q
	modprobe -q ip_gre
	modprobe -q sit
	modprobe -q tun
	ip link add d0 type dummy && ip link set d0 up && ip address add 10.98.0.1/24 dev d0 &&
		ip link add d1 type dummy && ip link set d1 up &&
		ip link add link d0 name d0.7 type vlan id 7 && ip link set d0.7 up
}

ip link set lo up
check "two netdevs and a VLAN" netdevs
check "module loads" load_soro

refused "unknown netdev" "No such device" - add soro0 nosuch0
refused "loopback" "Invalid argument" 'lo: .*loopback' add soro0 lo
refused "VLAN netdev" "Operation not permitted" 'd0\.7: .*VLAN.* d0\b' add soro0 d0.7
if ip link add gre7 type gre local 10.98.0.1 remote 10.98.0.2 2>/dev/null; then
	refused "GRE netdev" "Protocol family not supported" 'gre7: not an Ethernet' add soro0 gre7
	ip link del gre7
else
	skip "GRE netdev" "no ip_gre here"
fi
if ip link add sit7 type sit local 10.98.0.1 remote 10.98.0.2 2>/dev/null; then
	refused "SIT netdev" "Protocol family not supported" 'sit7: not an Ethernet' add soro0 sit7
	ip link del sit7
else
	skip "SIT netdev" "no sit here"
fi
if ip tuntap add tun7 mode tun 2>/dev/null; then
	refused "TUN netdev" "Protocol family not supported" 'tun7: not an Ethernet' add soro0 tun7
	ip tuntap del tun7 mode tun
else
	skip "TUN netdev" "no tun here"
fi
check "no socket without a link" test "$(sockets_4791)" = 0

check "a link" add soro0 d0
refused "second link on one netdev" "Device or resource busy" 'd0: has a link' add soro1 d0
refused "name in use" "File exists" 'd1: .*name soro0 is in use' add soro0 d1
if modinfo rdma_rxe >/dev/null 2>&1; then
	refused "rdma_rxe after soro" "Device or resource busy" 'refusing rdma_rxe' \
		modprobe rdma_rxe
	check_fails "rdma_rxe is not loaded" is_loaded rdma_rxe
else
	skip "rdma_rxe after soro" "rdma_rxe is not here"
fi
check "the link still works" grep -q ACTIVE /sys/class/infiniband/soro0/ports/1/state
check "link delete" rdma link delete soro0
check "socket gone with the last link" test "$(sockets_4791)" = 0

# A program of a user has the port.
/usr/bin/python3 -c '
import socket, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("0.0.0.0", 4791))
print("bound", flush=True)
time.sleep(300)' >"$OUT/holder" &
holder=$!
check "port 4791 taken" wait_until 30 grep -q bound "$OUT/holder"
refused "port 4791 taken" "Address already in use" 'd0: UDP port 4791 is taken' add soro0 d0
kill $holder
wait $holder 2>/dev/null
check "link add once the port is free" add soro0 d0
check "link delete" rdma link delete soro0

# IPv6 alone can be taken as well.
/usr/bin/python3 -c '
import socket, time
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
s.bind(("::", 4791))
print("bound", flush=True)
time.sleep(300)' >"$OUT/holder6" &
holder=$!
check "IPv6 port 4791 taken" wait_until 30 grep -q bound "$OUT/holder6"
refused "IPv6 port 4791 taken" "Address already in use" 'd0: UDP port 4791 is taken' add soro0 d0
kill $holder
wait $holder 2>/dev/null

check "module unloads" unload_soro
check "no socket after unload" test "$(sockets_4791)" = 0

# The other order.
if modprobe rdma_rxe 2>/dev/null; then
	refused "soro after rdma_rxe" "Device or resource busy" 'rdma_rxe is loaded' \
		bash -c 'modprobe soro || insmod "$SORO_KO"'
	check_fails "soro is not loaded" is_loaded soro
	check "rdma_rxe unloads" wait_until 10 modprobe -r rdma_rxe
	check "soro loads again" load_soro
	check "link add works again" add soro0 d0
	check "link delete" rdma link delete soro0
else
	skip "soro after rdma_rxe" "rdma_rxe is not here"
fi
check "module unloads at the end" unload_soro
tap_end
