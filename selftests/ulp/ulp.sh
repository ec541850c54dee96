#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/ulp/ulp.sh FILE.ko [PARAMETER=VALUE...] - verbs of a consumer in the kernel: load
# the test module over a device on a veth, print its TAP, unload it.

module=$(readlink -f "${1:?usage: $0 soro_ulp.ko}")
shift
cd "$(dirname "$0")/../net" || exit 1
. ./lib.sh
. ./programs.sh

set_up || { echo "Bail out! no pair of devices"; exit 1; }
if insmod "$module" device=$DEV_A "$@"; then
	rmmod soro_ulp
fi
# The last run in the log is this one. The core warns of keys that the test asks for on purpose.
dmesg | sed -n 's/^\[[^]]*\] *\(\[[^]]*\] *\)\?soro_ulp: //p' |
	awk '/^enabling unsafe/ { next } /^TAP version/ { text = ""; next } { text = text $0 "\n" } END { printf "%s", text }' >"$OUT/tap"
cat "$OUT/tap"
left=$(rdma res show qp 2>/dev/null | grep soro_ulp)
[ -z "$left" ] || echo "# left: $left"
pair_down
grep -q '^1\.\.[1-9]' "$OUT/tap" && ! grep -q '^not ok' "$OUT/tap" && [ -z "$left" ]
