#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/hostile/rings.sh [SECONDS] [SEED] - rubbish in every ring while doorbells
# ring and QPs change state; then other traffic still works. TAP; run as root in a guest.

here=$(dirname "$(readlink -f "$0")")
cd "$here/../net" || exit 1
. ./lib.sh
. ./programs.sh

seconds=${1:-30} seed=${2:-$RANDOM}
SORO_BUILD=${SORO_BUILD:-/tmp}
export SORO_BUILD
[ -x "$SORO_BUILD/soro_rings" ] || make -s -C "$here" || { echo "Bail out! no soro_rings"; exit 1; }
set_up || { echo "Bail out! no pair of devices"; exit 1; }
echo "# seed $seed"
check "rubbish in the rings for $seconds s" timeout $((seconds + 120)) \
	"$SORO_BUILD/soro_rings" $DEV_A $GID_A "$seconds" "$seed"
check "no QP is left" test -z "$(rdma res show qp 2>/dev/null | grep -v 'lqpn 1 ')"
pair_down
tap_end
