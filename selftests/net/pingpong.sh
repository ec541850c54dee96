#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/pingpong.sh [--brief|--quick|--full] - ibv_rc_pingpong, unmodified, with
# its data check, over two namespaces and on one device.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

# size:iterations; the whole range of sizes
ALL_SIZES="1:100 63:50 1024:50 4097:50 65537:20 1048576:10"
ENDS="1:50 4097:20 1048576:5"
LIMIT=60

# sweep WHERE "SIZES" OPTIONS - one run per size
sweep()
{
	local where=$1 sizes=$2 entry

	shift 2
	for entry in $sizes; do
		check_pingpong "$where" $LIMIT "$@" -r 16 -s "${entry%:*}" -n "${entry#*:}"
	done
}

sweep_default()
{
	local mtu

	for mtu in 256 512 1024 2048 4096; do
		sweep two "$ENDS" -m $mtu -e
	done
	sweep two "$ALL_SIZES" -m 1024
	sweep two "$ENDS" -m 4096
	sweep one "$ALL_SIZES" -m 1024 -e
	sweep one "$ENDS" -m 4096
	sweep one "$ENDS" -m 256
}

sweep_full()
{
	local where mtu

	for where in two one; do
		for mtu in 256 512 1024 2048 4096; do
			sweep $where "$ALL_SIZES" -m $mtu -e
			sweep $where "$ALL_SIZES" -m $mtu
		done
	done
}

sweep_quick()
{
	local mtu

	LIMIT=150
	for mtu in 256 4096; do
		sweep two "1:10 1048576:2" -m $mtu -e
	done
	sweep two "4097:10" -m 1024
	sweep one "4097:10" -m 4096
	sweep one "65537:5" -m 1024 -e
}

# What a sanitizer kernel under emulation can afford.
sweep_brief()
{
	LIMIT=150
	sweep two "1:10" -m 256 -e
	sweep two "1048576:2" -m 1024 -e
	sweep one "4097:10" -m 4096
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
case ${1:-} in
--brief) sweep_brief ;;
--quick) sweep_quick ;;
--full) sweep_full ;;
*) sweep_default ;;
esac
pair_down
tap_end
