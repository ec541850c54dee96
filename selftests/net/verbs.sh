#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/verbs.sh [--quick|--brief] [soro_verbs options] - the verbs test, over two
# namespaces and on one device. The device of the other namespace can be opened
# because the RDMA subsystem is in shared mode; the traffic crosses the veth.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

options=()
limit=900
one_device=()
six=(-t 'data/pmtu1024/*' -t stream/both-ways -t retry/no-peer -t 'atomic/*' -t 'ud/*'
     -t 'ud-address/*')
singles=(-t 'data/*' -t 'stream/*' -t 'order/*')
case ${1:-} in
--quick)
	options=(-q)
	one_device=(-t 'data/pmtu1024/*' -t 'uc/pmtu1024/*' -t 'ud/*' -t 'stream/*' -t 'atomic/*'
		    -t 'srq/*' -t 'mw/*' -t 'inv/*' -t 'mcast/*' -t 'retry/*'
		    -t 'uc/migrate-*' -t ud-stream/moving)
	shift
	;;
--brief)	# what a sanitizer kernel under emulation can afford
	options=(-q -x '*/pmtu256/*' -x '*/pmtu512/*' -x '*/pmtu2048/*' -x '*/pmtu4096/*'
		 -x 'many/*' -x 'limits/*' -x 'query/*' -x ud-stream/nobodies
		 -x uc/migrate-long)
	one_device=(-t data/pmtu1024/write -t stream/both-ways -t atomic/with-cpu)
	six=(-t data/pmtu1024/read -t stream/both-ways -t 'ud/*')
	singles=(-t data/pmtu1024/send -t stream/both-ways)
	shift
	;;
esac
options+=("$@")

build_verbs && set_up || { echo "Bail out! no pair of devices"; exit 1; }
check_verbs "two namespaces:" $limit -d $DEV_A -D $DEV_B "${options[@]}"
check_verbs "one device:" $limit -d $DEV_A "${one_device[@]}" "${options[@]}"
# With --quick soro_verbs leaves them out, and a kernel that injects no faults skips them.
[ ! -e /proc/self/fail-nth ] ||
	check_verbs "no memory:" $limit -d $DEV_A -D $DEV_B -q -t 'nomem/*'
check_verbs "IPv6:" $limit -d $DEV_A -D $DEV_B -6 -q "${six[@]}" "${options[@]}"
if [ -e "$DEBUGFS/$DEV_A/train_max" ]; then
	set_train_max 1
	check_verbs "single packets:" $limit -d $DEV_A -D $DEV_B -q "${singles[@]}" "${options[@]}"
fi
pair_down
tap_end
