# SPDX-License-Identifier: GPL-2.0
# Sourced by the lifecycle tests, in bash: the net tests' helpers, and programs
# that run while something is taken away from under them.

LIFECYCLE_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$LIFECYCLE_DIR/../net/lib.sh"
. "$LIFECYCLE_DIR/../net/programs.sh"

# What "within seconds" means; a guest under emulation is slow.
SOON=${SOON:-$((15 * ${SORO_SLOW:-1}))}

# traffic_start [OPTIONS] - both directions, all operations, until it fails, then
# objects stay open and rings in use; runs in the initial namespace, so that
# it does not keep the others alive
traffic_start()
{
	traffic_log=$OUT/traffic.$RANDOM
	"$SORO_VERBS" -d $DEV_A -D $DEV_B -q -t stream/both-ways -w 20000 -r 1000000 "$@" \
		>"$traffic_log" 2>&1 &
	traffic=$!
	wait_until 60 grep -q '^ok 2 ' "$traffic_log"
}

# holder_start - a process with one of each object open and its rings in use
holder_start()
{
	traffic_log=$OUT/traffic.$RANDOM
	"$SORO_VERBS" -d $DEV_A -D $DEV_B -t limits/attributes -H >"$traffic_log" 2>&1 &
	traffic=$!
	wait_until 60 grep -q '# holding' "$traffic_log"
}

# still_runs - the process is alive, and more of its tests pass than before
still_runs()
{
	local before

	before=$(grep -c '^ok' "$traffic_log")
	wait_until 60 more_than "$before"
}

more_than()
{
	[ "$(grep -c '^ok' "$traffic_log")" -gt "$1" ]
}

is_alive() { kill -0 "$traffic" 2>/dev/null; }

# traffic_stop - by SIGKILL: a process that hangs in the kernel does not end
traffic_stop()
{
	kill -KILL "$traffic" 2>/dev/null
	wait_until $SOON is_gone "$traffic"
	local status=$?

	[ $status != 0 ] || wait "$traffic" 2>/dev/null
	return $status
}

# A zombie is gone as far as the kernel's objects are concerned.
is_gone()
{
	! grep -q '^State:[[:space:]]*[^Z[:space:]]' "/proc/$1/status" 2>/dev/null
}

# soon COMMAND... - succeeds within $SOON seconds, without being killed
soon()
{
	local began=$SECONDS status=0

	timeout -k 5 60 "$@" || status=$?
	echo "$* took $((SECONDS - began)) s"
	[ $((SECONDS - began)) -le "$SOON" ] || return 1
	return $status
}

device_gone() { [ ! -e "/sys/class/infiniband/$1" ] && ! rdma link show "$1/1" >/dev/null 2>&1; }

# nothing_left - after unload: no link, no socket, no module, no cache of it
nothing_left()
{
	local status=0 file device

	! is_loaded soro || { echo "soro is loaded"; status=1; }
	for device in /sys/class/infiniband/*; do
		[ ! -e "$device" ] || { echo "$device"; status=1; }
	done
	for file in /proc/net/udp /proc/net/udp6; do
		! file_has $file ':12B7 ' || { echo "a socket on port 4791"; status=1; }
	done
	for file in /proc/slabinfo /proc/vmallocinfo; do
		! file_has $file soro || { grep soro $file; status=1; }
	done
	[ ! -e $DEBUGFS ] || { echo "$DEBUGFS exists"; status=1; }
	return $status
}
