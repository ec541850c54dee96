#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/matrix.sh [OPTION...] CONDITION... - every RC operation of the verbs test
# while netem loses, doubles and reorders packets in both directions.
#
#	-4, -6		over IPv4 or IPv6 alone
#	--trains, --singles	with trains, or with single packets (knob train_max) alone
#	--brief		what a sanitizer kernel under emulation can afford
#	--big		messages of 64 MiB instead
#	--mixed SECONDS	mixed traffic so long instead, in each cell
#
# A condition is clean, lossN, dupN, reorderN or allN, N in per cent; allN is the three
# at once. There is a cell for each condition, family and train_max. netem sees a train as
# one packet: with trains whole trains get lost.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

families=(4 6) modes=(trains singles) kind=each seconds='' brief=''
# netem holds packets this long, except those that it lets overtake.
HOLD=1ms

# netem_of CONDITION - arguments of netem, printed
netem_of()
{
	local n=${1##*[a-z]}

	case $1 in
	clean) ;;
	loss*) echo "loss $n%" ;;
	dup*) echo "duplicate $n%" ;;
	reorder*) echo "delay $HOLD reorder $n%" ;;
	all*) echo "delay $HOLD reorder $n% loss $n% duplicate $n%" ;;
	*) return 1 ;;
	esac
}

# impair CONDITION - on both ends
impair()
{
	local args side ns dev seed=()

	read -r -a args <<<"$(netem_of "$1")"
	for side in "$NS_A $IF_A" "$NS_B $IF_B"; do
		read -r ns dev <<<"$side"
		tc -n "$ns" qdisc del dev "$dev" root 2>/dev/null
		[ ${#args[@]} -gt 0 ] || continue
		[ "$netem_seeds" = no ] || seed=(seed "$data_seed")
		tc -n "$ns" qdisc add dev "$dev" root netem "${args[@]}" "${seed[@]}" limit 10000 ||
			return
	done
}

# Whether netem can be given a seed: tc and kernel both have to know it.
seeds_known()
{
	tc -n $NS_A qdisc add dev $IF_A root netem loss 1% seed 7 2>/dev/null &&
		tc -n $NS_A qdisc show dev $IF_A | grep -q 'seed 7'
	local known=$?

	tc -n $NS_A qdisc del dev $IF_A root 2>/dev/null
	return $known
}

# dropped - packets that netem lost, both ends
dropped()
{
	{
		tc -n $NS_A -s qdisc show dev $IF_A
		tc -n $NS_B -s qdisc show dev $IF_B
	} | sed -n 's/.*(dropped \([0-9]*\),.*/\1/p' | awk '{ n += $1 } END { print n + 0 }'
}

# counted COUNTER... - of both devices, summed
counted()
{
	local dev name total=0

	for dev in $DEV_A $DEV_B; do
		for name in "$@"; do
			total=$((total + $(cat "/sys/class/infiniband/$dev/ports/1/hw_counters/$name")))
		done
	done
	echo $total
}

# What shows at the receivers that packets came twice, and in another order. Only where
# no receiver is late: RNR makes some too.
doubled() { counted duplicate_request drop_stale; }
overtaken() { counted held_trains drop_sequence nak_sequence_sent implied_nak_seq_err; }

# in_trains - packets that were sent in a skb with others
in_trains() { echo $(($(counted sent_pkts) - $(counted sent_trains))); }

# know_neighbours - for good: the core gives one a second to answer, and netem drops that too
know_neighbours()
{
	local address

	for address in $IP_B $IP6_B; do
		ip -n $NS_A neighbour replace "$address" lladdr "$(mac $NS_B $IF_B)" dev $IF_A \
			nud permanent || return
	done
	for address in $IP_A $IP6_A; do
		ip -n $NS_B neighbour replace "$address" lladdr "$(mac $NS_A $IF_A)" dev $IF_B \
			nud permanent || return
	done
}

# pick_tests - options of the verbs test: $plain, where receivers are ready, and $others
pick_tests()
{
	plain=() others=()
	case $kind in
	big)
		plain=(-t 'big/*')
		;;
	mixed)
		others=(-q -t 'mixed/*' -T "$seconds")
		;;
	*)
		plain=(-q -t 'sges/*' -t 'inline/*' -t 'data/inline*' -t 'stream/send*'
			-t 'stream/write*' -t 'stream/read*')
		if [ -n "$brief" ]; then
			plain+=(-t 'data/pmtu256/write' -t 'data/pmtu1024/*' -t 'data/pmtu4096/*')
		else
			plain+=(-t 'data/pmtu*')
			others=(-t 'stream/long-pmtu256')
		fi
		others+=(-q -t 'stream/mixed*' -t 'stream/both*' -t 'stream/depth*' -t 'stream/sq*'
			-t 'stream/long-pmtu4096' -t 'order/*' -t 'atomic/cmp_swp' -t 'atomic/fetch_add'
			-t 'atomic/mixed' -t 'atomic/result-places' -t 'atomic/with-cpu'
			-t 'atomic/write' -t 'rnr/late-*' -t 'mixed/*'
			-t 'inv/local*' -t 'inv/remote*' -t mw/use-2 -t mw/order-2)
		;;
	esac
}

# cell CONDITION FAMILY MODE
cell()
{
	local condition=$1 family=$2 mode=$3 name options lost doubled overtaken together

	name="$condition, IPv$family, $mode"
	options=(-d "$DEV_A" -D "$DEV_B" -w 60000 -s "$data_seed")
	[ "$condition" = clean ] || options+=(-L)
	[ "$family" = 4 ] || options+=(-6)
	# Where a packet takes a millisecond, a full window takes longer than the default.
	[ "${SORO_LAB:-}" != san ] || options+=(-a 17)
	echo "# --- $name: netem $(netem_of "$condition")$seed_note, data seed $data_seed"
	check "$name: netem" impair "$condition"
	check "$name: train_max" set_train_max "$([ "$mode" = singles ] && echo 1 || echo "$train_max")"
	together=$(in_trains)
	if [ ${#plain[@]} -gt 0 ]; then
		doubled=$(doubled) overtaken=$(overtaken)
		check_verbs "$name:" 1150 "${options[@]}" "${plain[@]}"
		doubled=$(($(doubled) - doubled)) overtaken=$(($(overtaken) - overtaken))
		echo "# $doubled seen twice, $overtaken out of order"
		case $condition in
		dup*|all*) ok $((doubled == 0)) "$name: packets came twice" ;;
		esac
		case $condition in
		reorder*|all*) ok $((overtaken == 0)) "$name: packets overtook others" ;;
		esac
	fi
	[ ${#others[@]} = 0 ] || check_verbs "$name:" 1150 "${options[@]}" "${others[@]}"
	together=$(($(in_trains) - together))
	case $mode in
	trains) ok $((together <= 0)) "$name: packets went in trains" ;;
	singles) ok $((together != 0)) "$name: each packet went alone" ;;
	esac
	lost=$(dropped)
	echo "# $lost packets lost"
	case $condition in
	clean|dup*|reorder*) ok $((lost != 0)) "$name: nothing was lost" ;;
	*) ok $((lost == 0)) "$name: packets were lost" ;;
	esac
}

usage()
{
	sed -n '3,/^$/s/^# \{0,1\}//p' "$0" >&2
	exit 2
}

while [ $# -gt 0 ]; do
	case $1 in
	-4) families=(4) ;;
	-6) families=(6) ;;
	--trains) modes=(trains) ;;
	--singles) modes=(singles) ;;
	--brief) brief=1 ;;
	--big) kind=big ;;
	--mixed) kind=mixed seconds=$2; shift ;;
	-*) usage ;;
	*) break ;;
	esac
	shift
done
[ $# -gt 0 ] || usage
for condition in "$@"; do
	netem_of "$condition" >/dev/null || usage
done

data_seed=${SORO_SEED:-$(date +%s)}
build_verbs && set_up && know_neighbours || { echo "Bail out! no pair of devices"; exit 1; }
netem_seeds=no seed_note=" (this kernel gives it no seed)"
if seeds_known; then
	netem_seeds=yes seed_note=" seed $data_seed"
fi
train_max=$(cat "$DEBUGFS/$DEV_A/train_max")
pick_tests
for condition in "$@"; do
	for family in "${families[@]}"; do
		for mode in "${modes[@]}"; do
			cell "$condition" "$family" "$mode"
		done
	done
done
pair_down
tap_end
