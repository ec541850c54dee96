#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/lifecycle/rounds.sh [N] - N rounds (100) of load, add, traffic, delete and
# unload leave nothing behind.

cd "$(dirname "$0")" || exit 1
. ./lib.sh

rounds=${1:-100}

vmalloc_areas() { wc -l </proc/vmallocinfo; }

traffic_ends()
{
	"$SORO_VERBS" -d $DEV_A -D $DEV_B -q -t stream/send -t data/pmtu1024/write -t stream/read \
		>"$OUT/verbs" 2>&1 || { cat "$OUT/verbs"; return 1; }
}

one_round()
{
	load_soro || { echo "load"; return 1; }
	links_up && find_gids || { echo "link add"; return 1; }
	traffic_ends || return 1
	# Every second round the links go by themselves when the module goes.
	if [ $(($1 % 2)) = 0 ]; then
		links_down || { echo "link delete"; return 1; }
	fi
	# The first try must do: nothing may hold the module.
	rmmod soro || { echo "rmmod"; lsmod | grep soro; return 1; }
	nothing_left
}

some_rounds()
{
	local i

	for ((i = $1; i < $2; i++)); do
		one_round $i || { echo "in round $i"; return 1; }
	done
}

clean_slate
! is_loaded soro || unload_soro || exit 1
build_verbs && net_up || { echo "Bail out! no network"; exit 1; }
# The first rounds fill caches that the kernel keeps.
first=$((rounds < 5 ? rounds : 5))
check "rounds 1 to $first" some_rounds 0 $first
free_before=$(free_kib) areas_before=$(vmalloc_areas)
for ((from = first; from < rounds && tap_failed == 0; from += 5)); do
	to=$((from + 5 < rounds ? from + 5 : rounds))
	check "rounds $((from + 1)) to $to" some_rounds $from $to
done
free_after=$(free_kib) areas_after=$(vmalloc_areas)
echo "# free memory $free_before KiB before, $free_after KiB after;" \
	"vmalloc areas $areas_before and $areas_after"
# Coarse: a ring or a region per round would show. kmemleak on the sanitizer
# kernel sees the rest.
check "memory does not shrink by 8 MiB" test $((free_before - free_after)) -lt 8192
check "vmalloc areas do not pile up" test $((areas_after - areas_before)) -lt 10
net_down
tap_end
