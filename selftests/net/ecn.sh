#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/ecn.sh - packets marked on the way (ECN) are counted, and answered with
# congestion notifications where the knob asks for it; those are counted by the sender
# and end nothing.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

# counter DEVICE NAME
counter()
{
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"
}

# grew DEVICE NAME BEFORE - whether a counter did
grew()
{
	[ "$(counter "$1" "$2")" -gt "$3" ]
}

same()
{
	[ "$(counter "$1" "$2")" = "$3" ]
}

knob()
{
	echo "$2" >"$DEBUGFS/$1/cnp"
}

mark_all()
{
	in_a nft -f - <<-END
	table inet soro_ecn {
		chain out {
			type filter hook output priority 0;
			udp dport 4791 ip ecn set ce
		}
	}
	END
}

traffic()
{
	"$SORO_VERBS" -d $DEV_A -D $DEV_B -q -t 'data/pmtu1024/*' -t stream/read >"$OUT/ecn" 2>&1 ||
		{ cat "$OUT/ecn"; return 1; }
}

build_verbs && set_up || { echo "Bail out! no pair of devices"; exit 1; }
check "nft marks what a sends" mark_all
check "traffic, knob off" traffic
check "marks are counted" grew $DEV_B np_ecn_marked_roce_packets 0
check "nothing is sent" same $DEV_B np_cnp_sent 0
check "knob on" knob $DEV_B 1
check "traffic, knob on" traffic
check "notifications are sent" grew $DEV_B np_cnp_sent 0
check "and arrive" grew $DEV_A rp_cnp_handled 0
check "all of them" same $DEV_A rp_cnp_handled "$(counter $DEV_B np_cnp_sent)"
check "with the right ICRC" same $DEV_A drop_icrc 0
pair_down
tap_end
