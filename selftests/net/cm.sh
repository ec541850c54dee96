#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/cm.sh [--quick|--brief|--rping] - the programs of librdmacm, unmodified, and perftest
# with -R: over two namespaces and on one device, IPv4 and IPv6. The programs' own exit
# status and words of success decide.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

LIMIT=60

# ---- a server and a client ----

# place WHERE - $ns, $addr: where the server is; clients are in namespace A
place()
{
	addresses
	ns=$NS_B addr=$ADDR_B
	[ "$1" = two ] || ns=$NS_A addr=$ADDR_A
}

# name_of WHERE COMMAND - of a test: the client's command without addresses and ports
name_of()
{
	local words=$2

	words=${words//-[sabp] [@%]/}
	words=${words//@/}
	words=${words//$OUT\//}
	words=${words//[ :]/}
	echo "$1-$gids${words//%/}"
}

# fill COMMAND - with @ the server's address and % the port
fill()
{
	local words=${1//@/$addr}

	echo "${words//%/$port}"
}

# says NAME SIDE TEXT - that side's output has the text
says()
{
	file_has "$OUT/$1.$2" "$3" || { echo "# the $2 does not say \"$3\""; return 1; }
}

# check_cm WHERE TEXT SERVER CLIENT - both end well, and say the text
check_cm()
{
	local where=$1 text=$2 ns addr port name status=0

	place "$where"
	port=${fixed_port:-$((next_port++))}
	name=$(name_of "$where" "$4")
	run_pair_in $ns $NS_A "$name" $LIMIT "cm:$port" "$(fill "$3")" "$(fill "$4")" || status=$?
	says "$name" server "$text" && says "$name" client "$text" || status=1
	[ $status = 0 ] || show_pair "$name"
	ok $status "$name"
}

# check_clients N WHERE TEXT SERVER CLIENT - a server that does not end by itself: N clients, one
# after the other. At once they are too much for rping's server, which may use a connection twice
# ("rdma_create_qp: Invalid argument", with rdma_rxe as well); cm_rounds.sh has them.
check_clients()
{
	local n=$1 where=$2 text=$3 ns addr port name i status=0

	place "$where"
	port=$((next_port++))
	name=$(name_of "$where" "$5")
	server_start $ns "$name" $((LIMIT * 2)) "cm:$port" "$(fill "$4")" || status=1
	for ((i = 0; i < n && status == 0; i++)); do
		# shellcheck disable=SC2046
		in_a timeout -k 5 $LIMIT $(fill "$5") >"$OUT/$name.$i" 2>&1 || status=1
		says "$name" "$i" "$text" || status=1
		[ $status = 0 ] || tail -n 20 "$OUT/$name.$i" | sed "s/^/# client $i: /"
	done
	kill -0 $server_pid || { echo "# the server has ended"; status=1; }
	server_stop
	[ $status = 0 ] || tail -n 20 "$OUT/$name.server" | sed 's/^/# server: /'
	ok $status "$name"
}

# ---- the programs ----

# run_rping WHERE SIZE ROUNDS - by RDMA WRITE, READ and SEND; it checks the data
run_rping()
{
	check_cm "$1" "rdma-ping-$(($3 - 1)): " "rping -s -a @ -p % -vV -S $2 -C $3" \
		"rping -c -a @ -p % -vV -S $2 -C $3"
}

# run_persistent WHERE CLIENTS - rping's server that takes several
run_persistent()
{
	check_clients "$2" "$1" "rdma-ping-4: " "rping -s -P -a @ -p % -vV -S 1000 -C 5" \
		"rping -c -a @ -p % -vV -S 1000 -C 5"
}

# run_ucmatose WHERE CONNECTIONS SIZE
run_ucmatose()
{
	check_cm "$1" "return status 0" "ucmatose -b @ -p % -c $2 -C 5 -S $3" \
		"ucmatose -s @ -p % -c $2 -C 5 -S $3"
}

# run_udaddy WHERE CONNECTIONS SIZE - its -p is no port
run_udaddy()
{
	local fixed_port=7174

	check_cm "$1" "return status 0" "udaddy -b @ -c $2 -C 5 -S $3" \
		"udaddy -s @ -c $2 -C 5 -S $3"
}

# run_stream rstream|riostream WHERE SIZE TIMES TEST-OPTIONS - the client says how long it took
run_stream()
{
	local options="-p % -I 2 -C $4 -S $3 -T v"

	[ -z "$5" ] || options+=" -T $5"
	check_cm "$2" "custom " "$1 -b @ $options" "$1 -s @ $options"
}

# run_rcopy WHERE BYTES - a file arrives as it was; IPv4, for a colon ends its server's name
run_rcopy()
{
	local gids='' from=$OUT/from to=$OUT/to

	head -c "$2" /dev/urandom >"$from"
	rm -f "$to"
	check_clients 1 "$1" "$2 bytes in" "rcopy -p %" "rcopy $from @:$to -p %"
	check "$1-rcopy: $2 bytes are the same" cmp "$from" "$to"
}

run_cmtime()
{
	check_clients 1 "$1" "destroy " "cmtime -b @ -p % -c $2" "cmtime -s @ -p % -c $2"
}

run_rdma_client()
{
	check_cm "$1" "end 0" "rdma_server -s @ -p %" "rdma_client -s @ -p %"
}

# run_udpong WHERE - datagrams over rsockets, whose addresses are those of UDP
run_udpong()
{
	local ns addr port name status=0

	place "$1"
	port=$((next_port++))
	name=$1-${gids}udpong
	server_start $ns "$name" $LIMIT "udp:$port" "udpong -b $addr -p $port -T e" &&
		in_a timeout -k 5 $LIMIT udpong -s $addr -p $port -T e -C 20 -S 1000 \
			>"$OUT/$name.client" 2>&1 || status=1
	server_stop
	# librdmacm 44 is one of those; its rconnect() says ENOENT then.
	if file_has "$OUT/$name.client" 'rconnect: No such file'; then
		skip "$name" "this librdmacm makes address handles of datagrams without a GRH"
		return
	fi
	says "$name" client "custom " || status=1
	[ $status = 0 ] || show_pair "$name"
	ok $status "$name"
}

# run_mckey WHERE GROUP SIZE - what one sends to a group the other gets
run_mckey()
{
	local ns addr name status=0 options="-m $2 -C 10 -S $3"

	place "$1"
	name=$1-${gids}mckey-$3
	run_pair_in $ns $NS_A "$name" $LIMIT out:joined "stdbuf -oL mckey -b $addr $options" \
		"mckey -s -b $ADDR_A $options" || status=$?
	# The kernel's ENOTSUPP; 6.1 has it for each IPv6 group over RoCE v2.
	if [ -n "$gids" ] && file_has "$OUT/$name.server" 'failure joining: Unknown error 524'; then
		skip "$name" "the kernel's rdma_cm joins no IPv6 groups over RoCE v2"
		return
	fi
	says "$name" server "return status 0" && says "$name" client "return status 0" || status=1
	[ $status = 0 ] || show_pair "$name"
	ok $status "$name"
}

# run_perftest WHERE OPTIONS - RC connected by the connection manager
run_perftest()
{
	local where=$1 op

	shift
	for op in send write read; do
		check_perftest "$where" $LIMIT 1 ib_${op}_bw -R -s 65536 -n 10 "$@"
		check_perftest "$where" $LIMIT 1 ib_${op}_lat -R -s 64 -n 10
	done
	check_perftest "$where" $LIMIT 1 ib_atomic_bw -R -n 10
	check_perftest "$where" $LIMIT 1 ib_atomic_lat -R -n 10
}

# ---- how much of it ----

run_all()
{
	local where size

	for where in two one; do
		for size in 23 64 1000 4096 10000 65535; do
			run_rping $where $size 100
		done
		run_rping $where 100 1000
		run_persistent $where 8
		for size in 1 100 4096 65536 1048576; do
			run_ucmatose $where 1 $size
		done
		run_ucmatose $where 20 1000
		for size in 1 1000 4000; do
			run_udaddy $where 4 $size
		done
		for size in 1 64 1000 65536 1000000; do
			run_stream rstream $where $size 10 ''
			run_stream riostream $where $size 10 ''
		done
		for size in a b n; do	# f is of TCP
			run_stream rstream $where 4096 10 $size
		done
		run_rcopy $where 10000000
		run_cmtime $where 50
		run_rdma_client $where
		run_udpong $where
		run_mckey $where "$GROUP" 1000
		[ -n "$gids" ] || run_perftest $where
		[ -n "$gids" ] || run_perftest $where -q 4
	done
}

run_quick()
{
	local where

	for where in two one; do
		run_rping $where 64 20
		run_rping $where 65535 5
		run_ucmatose $where 4 1000
		run_udaddy $where 2 1000
		run_stream rstream $where 65536 2 ''
		run_mckey $where "$GROUP" 1000
	done
	run_persistent two 3
	run_ucmatose two 1 1048576
	run_stream riostream two 65536 2 ''
	run_rdma_client two
	run_udpong two
	run_cmtime two 10
	[ -z "$gids" ] || return
	run_rcopy two 1000000
	run_perftest two
}

# What a sanitizer kernel under emulation can afford.
run_brief()
{
	LIMIT=200
	run_rping two 1000 3
	run_ucmatose one 2 1000
	run_udaddy two 1 1000
	run_mckey two "$GROUP" 1000
	[ -n "$gids" ] || run_stream rstream two 10000 2 ''
	[ -n "$gids" ] || run_cmtime two 4
}

run_some()
{
	case $1 in
	--rping) run_rping two 1000 3 ;;
	--brief) run_brief ;;
	--quick) run_quick ;;
	*) run_all ;;
	esac
}

modprobe -q rdma_ucm
set_up || { echo "Bail out! no pair of devices"; exit 1; }
if ! has_cm; then
	skip "connection manager" "$DEV_A does not promise one"
	pair_down
	tap_end
	exit
fi
GROUP=239.1.2.3
run_some "${1:-}"
check "IPv6 GIDs" use_ipv6
GROUP=ff05::1:3
run_some "${1:-}"
pair_down
tap_end
