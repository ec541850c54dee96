# SPDX-License-Identifier: GPL-2.0
# Sourced by tests, in bash, after lib.sh: the module, stock programs run as
# pairs over two namespaces or on one device, and the verbs test. Knows no test.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
SORO_VERBS=${SORO_VERBS:-$TOP/selftests/verbs/soro_verbs}
SORO_PATH=${SORO_PATH:-$TOP/selftests/net/soro_path}
DEBUGFS=/sys/kernel/debug/soro

next_port=20000
gids=			# what the names of tests say of the GIDs

# ---- module ----

is_loaded()
{
	[ -e "/sys/module/$1" ]
}

load_soro()
{
	is_loaded soro || modprobe soro 2>/dev/null || insmod "${SORO_KO:?soro is not installed}"
}

# unload_soro [SECONDS] - rmmod; tries again while a last reference goes away
unload_soro()
{
	wait_until "${1:-10}" rmmod soro
}

# ---- state that must not stay behind ----

# clean_slate - whatever a test that was killed has left
clean_slate()
{
	links_down
	net_down
} >/dev/null 2>&1

links() { rdma link show | wc -l; }

# sockets_4791 [NAMESPACE] - UDP sockets on the RoCE port
sockets_4791()
{
	local run=()

	[ $# = 0 ] || run=(ip netns exec "$1")
	"${run[@]}" cat /proc/net/udp /proc/net/udp6 | grep -c ':12B7 '
}

# set_train_max N - on both devices; 1 means single packets
set_train_max()
{
	local dev

	for dev in $DEV_A $DEV_B; do
		[ ! -e "/sys/class/infiniband/$dev" ] || echo "$1" >"$DEBUGFS/$dev/train_max" || return
	done
}

# ---- pairs of programs ----

# set_up - the module, a clean slate, two devices ready for programs
set_up()
{
	clean_slate
	load_soro && pair_up && find_gids
}

# find_gid VARIABLE DEVICE GID - the index of a RoCE v2 GID, written in full; without starting
# a program
find_gid()
{
	local dir=/sys/class/infiniband/$2/ports/1 gid i

	for ((i = 0; i < 64; i++)); do
		read -r gid 2>/dev/null <"$dir/gids/$i" || continue
		[ "$gid" = "$3" ] && file_has "$dir/gid_attrs/types/$i" 'RoCE v2' || continue
		printf -v "$1" %s $i
		return
	done
	return 1
}

# find_gid4 VARIABLE DEVICE ADDRESS
find_gid4()
{
	local want

	# shellcheck disable=SC2086,SC2183
	printf -v want '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x' ${3//./ }
	find_gid "$1" "$2" "$want"
}

# find_gid6 VARIABLE DEVICE ADDRESS - an address of two groups, as lib.sh has them
find_gid6()
{
	local want

	printf -v want '%04x:0000:0000:0000:0000:0000:0000:%04x' 0x"${3%%::*}" 0x"${3##*::}"
	find_gid "$1" "$2" "$want"
}

# find_gids - once, before programs are run
find_gids()
{
	wait_until 20 find_gid4 GID_A $DEV_A $IP_A && wait_until 20 find_gid4 GID_B $DEV_B $IP_B
}

# use_ipv6 - from here on programs use IPv6 GIDs
use_ipv6()
{
	wait_until 20 find_gid6 GID_A $DEV_A $IP6_A &&
		wait_until 20 find_gid6 GID_B $DEV_B $IP6_B && gids=6-
}

# has_cm - the core has these counters for ports that promise a connection manager
has_cm()
{
	modprobe -q ib_cm
	[ -d "/sys/class/infiniband/$DEV_A/ports/1/cm_rx_msgs" ]
}

# addresses - what the connection manager is given, IPv4 or IPv6 as the GIDs: ADDR_A, ADDR_B
addresses()
{
	ADDR_A=$IP_A ADDR_B=$IP_B
	[ -z "$gids" ] || ADDR_A=$IP6_A ADDR_B=$IP6_B
}

# run_where two|one NAME SECONDS PROGRAM ARGUMENTS - the server side in
# namespace B and the client in A, or both in A on one device; $OUT/NAME.*
run_where()
{
	local where=$1 name=$2 limit=$3 program=$4 flag=-x port a b to_a=$IP_A to_b=$IP_B

	shift 4
	[[ $program != ibv_* ]] || flag=-g
	port=$((next_port++))
	a="$program -d $DEV_A $flag $GID_A -p $port $*"
	b="$program -d $DEV_B $flag $GID_B -p $port $*"
	# With -R perftest has no socket: it meets through the connection manager.
	if [[ " $* " = *" -R "* ]]; then
		addresses
		port=cm:$port to_a=$ADDR_A to_b=$ADDR_B
	fi
	if [ "$where" = two ]; then
		run_pair_in $NS_B $NS_A "$name" "$limit" $port "$b" "$a $to_b"
	else
		run_pair_in $NS_A $NS_A "$name" "$limit" $port "$a" "$a $to_a"
	fi
}

# check_pingpong WHERE SECONDS ARGUMENTS - a test with ibv_rc_pingpong
check_pingpong()
{
	check_pingpong_of ibv_rc_pingpong "$@"
}

# check_pingpong_of PROGRAM WHERE SECONDS ARGUMENTS - a test: it ends with its own line of
# success on both sides
check_pingpong_of()
{
	local program=$1 where=$2 limit=$3 name status=0 side

	shift 3
	name="${program#ibv_}-$where-$gids$(tr -d ' ' <<<"$*")"
	name=${name#rc_}
	run_where "$where" "$name" "$limit" "$program" -c "$@" || status=$?
	for side in server client; do
		grep -q ' iters in .* usec/iter' "$OUT/$name.$side" || status=1
		# With -c it names bytes that are wrong, and goes on.
		! grep -q 'invalid data' "$OUT/$name.$side" || status=1
	done
	[ $status = 0 ] || show_pair "$name"
	ok $status "$name"
}

# check_perftest WHERE SECONDS ROWS PROGRAM ARGUMENTS - a test: the client's
# table has that many rows
check_perftest()
{
	local where=$1 limit=$2 rows=$3 program=$4 name got status=0

	shift 4
	name="$program-$where-$gids$(tr -d ' ' <<<"$*")"
	run_where "$where" "$name" "$limit" "$program" -F "$@" || status=$?
	got=$(grep -cE '^ *[0-9]+ +[0-9]+ +[0-9.]+ +[0-9.]+' "$OUT/$name.client")
	if [ "$got" != "$rows" ]; then
		echo "# $got rows in the client's table, not $rows"
		status=1
	fi
	[ $status = 0 ] || show_pair "$name"
	ok $status "$name"
}

# ---- soro_path: connections with the attributes of a path, and their frames ----

build_path()
{
	[ -x "$SORO_PATH" ] && return
	make -C "$TOP/selftests/net" SORO_BUILD="$OUT" >"$OUT/build" 2>&1 || return
	SORO_PATH=$OUT/soro_path
}

# path NAME ARGUMENTS - soro_path in namespace A, but with the /sys of here, which has all
# counters; output in $OUT/NAME.path, its end shown when it fails
path()
{
	local name=$1 status=0

	shift
	nsenter --net=/run/netns/$NS_A timeout -k 5 120 "$SORO_PATH" "$@" >"$OUT/$name.path" 2>&1 || status=$?
	[ $status = 0 ] || tail -n 30 "$OUT/$name.path"
	return $status
}

# path4, path6 NAME ARGUMENTS - between the two devices
path4() { path "$1" -d $DEV_A -D $DEV_B -a $IP_A -A $IP_B "${@:2}"; }
path6() { path "$1" -d $DEV_A -D $DEV_B -a $IP6_A -A $IP6_B "${@:2}"; }

# path_says NAME REGEX - a line of its output
path_says()
{
	grep -E "$2" "$OUT/$1.path" || { tail -n 30 "$OUT/$1.path"; return 1; }
}

# each_frame NAME "WHICH..." KEY=VALUE... - it saw frames that have all of WHICH (KEY=VALUE),
# missed none, and each of them has the values
each_frame()
{
	awk -v which="$2" -v values="${*:3}" '
		function has(line, list,	n, part, i) {
			n = split(list, part, " ")
			for (i = 1; i <= n; i++)
				if (!index(line " ", " " part[i] " "))
					return 0
			return 1
		}
		/^frame / && has($0, which) { n++ }
		/^frame / && has($0, which) && !has($0, values) { bad++; print }
		/^missed 0$/ { whole = 1 }
		END {
			if (!whole)
				print "frames were missed"
			printf "%d frames with \"%s\", %d of them not %s\n", n, which, bad, values
			exit !n || bad || !whole
		}' "$OUT/$1.path"
}

# path_start path4|path6|path NAME ARGUMENTS - in the background: connected, data wait for
# path_go
path_start()
{
	local how=$1 name=$2

	shift 2
	rm -f "$OUT/$name.go" "$OUT/$name.path"
	$how "$name" -w "$OUT/$name.go" "$@" >/dev/null &
	path_pid=$!
	wait_until 60 grep -q '^connected' "$OUT/$name.path"
}

# path_go NAME - let the data flow; the program's exit status
path_go()
{
	touch "$OUT/$1.go"
	wait $path_pid
}

# ---- the verbs test ----

build_verbs()
{
	[ -x "$SORO_VERBS" ] && return
	make -C "$TOP/selftests/verbs" SORO_BUILD="$OUT" >"$OUT/build" 2>&1 || return
	SORO_VERBS=$OUT/soro_verbs
}

# check_verbs PREFIX SECONDS ARGUMENTS - its tests become ours
check_verbs()
{
	check_tap "$1" "$2" "$SORO_VERBS" "${@:3}"
}

# check_tap PREFIX SECONDS COMMAND - the tests of a program with TAP become ours, numbered on
check_tap()
{
	local prefix=$1 limit=$2 status line planned ran=0

	shift 2
	echo "# $*"
	timeout -k 5 "$limit" "$@" >"$OUT/tap" 2>&1
	status=$?
	planned=$(sed -n 's/^1\.\.//p' "$OUT/tap")
	while read -r line; do
		case $line in
		"ok "*"# SKIP"*)
			line=${line#* - }
			skip "$prefix ${line% # SKIP*}" "${line#*# SKIP }"
			ran=$((ran + 1))
			;;
		"ok "*)
			ok 0 "$prefix ${line#* - }"
			ran=$((ran + 1))
			;;
		"not ok "*)
			ok 1 "$prefix ${line#* - }"
			ran=$((ran + 1))
			;;
		"#"*)
			echo "$line"
			;;
		*)
			echo "# $line"
			;;
		esac
	done <"$OUT/tap"
	if [ "$ran" != "$planned" ] || [ $status -gt 1 ]; then
		echo "# exit status $status, $ran of $planned tests ran"
		ok 1 "$prefix ran to its end"
	fi
}
