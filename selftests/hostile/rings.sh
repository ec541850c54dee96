#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/hostile/rings.sh [OPERATIONS] [SEED] - a process writes rubbish into every ring that it
# has, while it rings doorbells and creates, changes and destroys objects; beside it, on the same
# devices, another has its data checked. Then nothing is left of it, not even of one that was
# killed. Root in a guest for the devices; the process itself needs no privileges.

HERE=$(dirname "$(readlink -f "$0")")
cd "$HERE/../net" || exit 1
. ./lib.sh
. ./programs.sh
. ../hostile/lib.sh

operations=${1:-200000} seed=${2:-${SORO_SEED:-$RANDOM}}
LIMIT=$((300 + operations / 50))

# witness - verified traffic over both devices, again and again until told to stop
witness()
{
	until [ -e "$OUT/stop" ]; do
		"$SORO_VERBS" -d $DEV_A -D $DEV_B -t mixed/traffic -T 10 -q || return
	done
}

witness_start()
{
	rm -f "$OUT/stop"
	witness >"$OUT/witness" 2>&1 &
	witness_pid=$!
	wait_until 60 grep -q '^1\.\.' "$OUT/witness"
}

# witness_stop - it saw nothing wrong, and something at all
witness_stop()
{
	local status=0

	touch "$OUT/stop"
	wait $witness_pid || status=$?
	grep -vE '^(TAP|1\.\.)' "$OUT/witness" | tail -n 30
	[ $status = 0 ] && grep -q '^ok' "$OUT/witness" && ! grep -qE '^not ok|# SKIP' "$OUT/witness"
}

# killed SECONDS - in the midst of it
killed()
{
	timeout -s KILL "$1" "${unprivileged[@]}" $DEV_A $GID_A 100000000 $((seed + 1))
	[ $? = 137 ]
}

hostile_setup soro_rings || { echo "Bail out! no pair of devices"; exit 1; }
check "another has its data checked" witness_start
check_tap "hostile:" $LIMIT "${unprivileged[@]}" $DEV_A $GID_A "$operations" "$seed"
check "its data were right" witness_stop
check "nothing is left" wait_until 20 nothing_left soro_rings
check "one is killed" killed 8
check "nothing is left of that" wait_until 60 nothing_left soro_rings
check_after
pair_down
tap_end
