#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/loss.sh [--quick] [LOSS] [soro_verbs options] - the verbs test while
# netem drops 1 % of the packets of each direction. netem sees a super-packet as
# one packet, so trains are limited to one packet here.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

quick=()
if [ "${1:-}" = --quick ]; then
	quick=(-q)
	shift
fi
loss=${1:-1%}
shift

dropped()
{
	local ns dev total=0 n

	for ns in "$NS_A $IF_A" "$NS_B $IF_B"; do
		read -r ns dev <<<"$ns"
		n=$(tc -n "$ns" -s qdisc show dev "$dev" | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p' |
			head -n 1)
		total=$((total + n))
	done
	echo $total
}

build_verbs && set_up || { echo "Bail out! no pair of devices"; exit 1; }
check "train_max of 1" set_train_max 1
check "netem, $loss, here" tc -n $NS_A qdisc add dev $IF_A root netem loss "$loss" limit 10000
check "netem, $loss, there" tc -n $NS_B qdisc add dev $IF_B root netem loss "$loss" limit 10000
# A datagram that is lost is lost: nothing is to be said of those here, nor of limits.
check_verbs "loss $loss:" 1200 -d $DEV_A -D $DEV_B -L -x 'ud/*' -x 'ud-*/*' -x 'mcast/*' \
	-x 'limits/*' -x 'many/*' -x 'query/*' \
	"${quick[@]}" "$@"
lost=$(dropped)
echo "# $lost packets dropped"
ok $((lost == 0)) "packets were dropped"
pair_down
tap_end
