# SPDX-License-Identifier: GPL-2.0
# Sourced by tests and the demo, in bash, as root, in a guest or on a machine
# with soro loaded: TAP output, two network namespaces joined by veth with one
# soro device each, server and client pairs. Knows no test.
#
#	 ns soro-a                ns soro-b
#	+-----------------+      +-----------------+
#	| soro0 (rdma)    |      | soro1 (rdma)    |
#	| va 10.99.0.1/24 |------| vb 10.99.0.2/24 |
#	|    fd99::1/64   |      |    fd99::2/64   |
#	+-----------------+      +-----------------+

NS_A=soro-a NS_B=soro-b
DEV_A=soro0 DEV_B=soro1
IF_A=va IF_B=vb
IP_A=10.99.0.1 IP_B=10.99.0.2
IP6_A=fd99::1 IP6_B=fd99::2
LINK_TYPE=${LINK_TYPE:-soro}
OUT=${OUT:-$(mktemp -d)}

# ---- TAP ----

tap_count=0
tap_failed=0

# ok STATUS NAME - one test line; the status is an exit status
ok()
{
	tap_count=$((tap_count + 1))
	if [ "$1" = 0 ]; then
		echo "ok $tap_count - $2"
	else
		tap_failed=$((tap_failed + 1))
		echo "not ok $tap_count - $2"
	fi
}

skip()
{
	tap_count=$((tap_count + 1))
	echo "ok $tap_count - $1 # SKIP $2"
}

# check NAME COMMAND... - a test that passes when the command does
check()
{
	local name=$1 status=0

	shift
	"$@" >"$OUT/check" 2>&1 || status=$?
	[ $status = 0 ] || sed 's/^/# /' "$OUT/check" | tail -n 40
	ok $status "$name"
}

# check_fails NAME COMMAND... - passes when the command fails
check_fails()
{
	local name=$1

	shift
	if "$@" >"$OUT/check" 2>&1; then
		sed 's/^/# /' "$OUT/check" | tail -n 40
		ok 1 "$name"
	else
		ok 0 "$name"
	fi
}

# tap_end - the plan; the exit status of the test
tap_end()
{
	echo "1..$tap_count"
	[ $tap_failed = 0 ]
}

# ---- topology ----

in_a() { ip netns exec $NS_A "$@"; }
in_b() { ip netns exec $NS_B "$@"; }

# free_kib - memory, with what can be given back given back
free_kib()
{
	sync
	echo 3 >/proc/sys/vm/drop_caches
	awk '/^MemFree:|^SReclaimable:/ { n += $2 } END { print n }' /proc/meminfo
}

# net_up [MTU] - two namespaces and the veth between them
net_up()
{
	local mtu=${1:-4500}

	ip netns add $NS_A && ip netns add $NS_B || return
	ip link add $IF_A mtu "$mtu" netns $NS_A type veth peer name $IF_B mtu "$mtu" netns $NS_B ||
		return
	ip -n $NS_A -batch - <<-END || return
	link set lo up
	address add $IP_A/24 dev $IF_A
	address add $IP6_A/64 dev $IF_A nodad
	link set $IF_A up
	END
	ip -n $NS_B -batch - <<-END || return
	link set lo up
	address add $IP_B/24 dev $IF_B
	address add $IP6_B/64 dev $IF_B nodad
	link set $IF_B up
	END
}

net_down()
{
	ip netns del $NS_A
	ip netns del $NS_B
}

# links_up - one device in each namespace, ready to send
links_up()
{
	in_a rdma link add $DEV_A type "$LINK_TYPE" netdev $IF_A &&
	in_b rdma link add $DEV_B type "$LINK_TYPE" netdev $IF_B &&
	wait_active $DEV_A && wait_active $DEV_B
}

links_down()
{
	rdma link delete $DEV_A
	rdma link delete $DEV_B
}

# pair_up [MTU] - all of the picture above
pair_up()
{
	net_up "$@" && links_up
}

pair_down()
{
	links_down
	net_down
}

# wait_until SECONDS COMMAND... - poll until the command succeeds
wait_until()
{
	local end=$((SECONDS + $1))

	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

neighbour_answers()
{
	ip netns exec "$1" bash -c "echo >/dev/udp/$2/9"
	ip -n "$1" neigh show to "$2" | grep -qE 'REACHABLE|STALE|DELAY|PROBE'
}

# wait_neighbour NAMESPACE ADDRESS - until it answers. The core gives a path one second, in which
# IPv6 asks once: in vain, if the other end is up but not ready yet.
wait_neighbour()
{
	wait_until 10 neighbour_answers "$@"
}

# mac NAMESPACE INTERFACE - its address, printed
mac()
{
	ip -n "$1" -o link show "$2" | sed 's/.*ether \([^ ]*\).*/\1/'
}

# file_has FILE PATTERN - a pattern of the shell occurs in it. To start a program takes
# half a second on a sanitizer kernel under emulation.
file_has()
{
	local lines

	mapfile -t lines 2>/dev/null <"$1" && [[ " ${lines[*]} " = *$2* ]]
}

wait_active()
{
	wait_until 20 file_has "/sys/class/infiniband/$1/ports/1/state" ACTIVE
}

# gid_index DEVICE ADDRESS - index of the RoCE v2 GID of an IP address, printed
gid_index()
{
	local gid want i dir=/sys/class/infiniband/$1/ports/1

	want=$(/usr/bin/python3 -c '
import ipaddress, sys
a = ipaddress.ip_address(sys.argv[1])
if a.version == 4:
    a = ipaddress.ip_address("::ffff:" + sys.argv[1])
print(a.exploded)' "$2") || return
	for ((i = 0; i < 64; i++)); do
		read -r gid 2>/dev/null <"$dir/gids/$i" || continue
		[ "$gid" = "$want" ] || continue
		grep -q 'RoCE v2' "$dir/gid_attrs/types/$i" 2>/dev/null && echo $i && return
	done
	return 1
}

wait_gid()
{
	wait_until 20 gid_index "$1" "$2"
}

# ---- programs ----

# wait_listen NAMESPACE PORT [SECONDS] - until somebody listens on a TCP port
wait_listen()
{
	ip netns exec "$1" bash -c '
		hex=$(printf ":%04X 0" "$1")
		end=$((SECONDS + $2))
		until grep -q "$hex.* 0A " /proc/net/tcp /proc/net/tcp6; do
			[ $SECONDS -lt $end ] || exit 1
			sleep 0.1
		done' - "$2" "${3:-30}"
}

# wait_server NAMESPACE NAME WHERE - until the server NAME is there: WHERE is a TCP port,
# udp:PORT, cm:PORT of the RDMA connection manager, or out:TEXT that the server says
wait_server()
{
	case $3 in
	udp:*) wait_until 30 in_namespace "$1" udp_bound "${3#*:}" ;;
	cm:*) wait_until 30 cm_listens "${3#*:}" ;;
	out:*) wait_until 30 file_has "$OUT/$2.server" "${3#*:}" ;;
	*) wait_listen "$1" "$3" ;;
	esac
}

# in_namespace NAMESPACE FUNCTION... - of this file, in a network namespace, with the mounts of
# here
in_namespace()
{
	local ns=$1

	shift
	nsenter --net="/run/netns/$ns" bash -c "$(declare -f "$1"); \"\$@\"" - "$@"
}

# udp_bound PORT - a UDP socket has that port
udp_bound()
{
	grep -qE "$(printf ':%04X 0' "$1")" /proc/net/udp /proc/net/udp6
}

# cm_listens PORT
cm_listens()
{
	rdma resource show cm_id state LISTEN | grep -qE ":$1( |$)"
}

# run_pair NAME SECONDS PORT "SERVER COMMAND" "CLIENT COMMAND" - the server in
# namespace B, the client in A once the server is there (PORT: see wait_server). Their output
# is in $OUT/NAME.server and $OUT/NAME.client; success when both succeed.
run_pair()
{
	run_pair_in $NS_B $NS_A "$@"
}

# server_start NAMESPACE NAME SECONDS WHERE COMMAND - in the background until server_stop, at
# most so long; returns when it is there (WHERE: see wait_server)
server_start()
{
	# shellcheck disable=SC2086
	ip netns exec "$1" timeout -k 5 "$3" $5 >"$OUT/$2.server" 2>&1 &
	server_pid=$!
	wait_server "$1" "$2" "$4"
}

# server_stop - its exit status, 143 if it did not end by itself
server_stop()
{
	kill $server_pid 2>/dev/null
	wait $server_pid
}

# run_pair_in SERVER-NS CLIENT-NS NAME SECONDS PORT SERVER CLIENT
run_pair_in()
{
	local ns_server=$1 ns_client=$2 name=$3 limit=$4 port=$5 server=$6 client=$7 status=0

	if server_start $ns_server "$name" "$limit" "$port" "$server"; then
		# shellcheck disable=SC2086
		ip netns exec $ns_client timeout -k 5 "$limit" $client >"$OUT/$name.client" 2>&1 ||
			status=$?
	else
		echo "no server on port $port" >"$OUT/$name.client"
		status=1
	fi
	[ $status = 0 ] || kill $server_pid 2>/dev/null
	wait $server_pid || [ $status != 0 ] || status=$?
	return $status
}

# show_pair NAME - both outputs, as TAP comments
show_pair()
{
	local side

	for side in server client; do
		echo "# $1, $side:"
		sed 's/^/# /' "$OUT/$1.$side" | tail -n 30
	done
}

# check_pair NAME SECONDS PORT SERVER CLIENT - run_pair as a test
check_pair()
{
	local status=0

	run_pair "$@" || status=$?
	[ $status = 0 ] || show_pair "$1"
	ok $status "$1"
}
