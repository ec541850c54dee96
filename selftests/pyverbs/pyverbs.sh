#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/pyverbs/pyverbs.sh [--rounds N] [ARGUMENTS OF run_tests.py] - the tests of rdma-core,
# as Debian installs them in its folder of documentation, N times (1). What may be skipped is in
# absent.txt, see Documentation/absent.rst.

here=$(dirname "$(readlink -f "$0")")
cd "$here/../net" || exit 1
. ./lib.sh
. ./programs.sh

SUITE=${SORO_PYVERBS:-/usr/share/doc/rdma-core/tests}
LIMIT=$((1000 * ${SORO_SLOW:-1}))
ABSENT=$here/absent.txt
PAGE=$TOP/Documentation/absent.rst
rounds=1
if [ "${1:-}" = --rounds ]; then
	rounds=$2
	shift 2
fi

# unpack - the suite, with what is compressed unpacked, in $OUT/tests
unpack()
{
	cp -r "$SUITE" "$OUT/tests" && find "$OUT/tests" -name '*.gz' -exec gunzip {} +
}

# documented - each feature of the list stands on the page, as the head of a row
documented()
{
	local feature bad=0

	while read -r feature; do
		grep -qF "**$feature**" "$PAGE" && continue
		echo "not in $PAGE: $feature"
		bad=1
	done < <(grep -vE '^(#|$)' "$ABSENT" | sed 's/.* | //' | sort -u)
	return $bad
}

# amount FILE - how much of the suite a round ran, as a comment
amount()
{
	awk '/^# [0-9]+ tests/ { all = $2; vendors = $6 }
		/^ok .*# SKIP/ { skipped++; next }
		/^ok / { ok++ }
		/^not ok / { bad++ }
		END {
			printf "# %d ok, %d not, %d of %d skipped, with the %d of other vendors\n",
				ok, bad, skipped + vendors, all, vendors
		}' "$1"
}

set_up || { echo "Bail out! no pair of devices"; exit 1; }
# Without any some tests skip for that.
echo 16 >/proc/sys/vm/nr_hugepages
check "the suite is installed" unpack
check "the page names each absent feature" documented
for ((round = 1; round <= rounds; round++)); do
	check_tap "round $round:" "$LIMIT" ip netns exec $NS_A "$here/with-netdev" $DEV_A $IF_A \
		"$here/run.py" "$OUT/tests" "$ABSENT" --dev $DEV_A "$@"
	amount "$OUT/tap"
done
pair_down
tap_end
