# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests of this folder, in bash, after ../net/lib.sh and programs.sh: a program that
# is run by a user without privileges, and what it may not leave behind.

SORO_BUILD=${SORO_BUILD:-$OUT}
USER_ID=65534

# hostile_setup PROGRAM - that and the witness are built, two devices are there, open to all
hostile_setup()
{
	[ -x "$SORO_BUILD/$1" ] || make -s -C "$HERE" SORO_BUILD="$SORO_BUILD" || return
	build_verbs && set_up && chmod 666 /dev/infiniband/uverbs* || return
	unprivileged=(setpriv --reuid $USER_ID --regid $USER_ID --clear-groups "$SORO_BUILD/$1")
}

# nothing_left PROGRAM - no objects of its own
nothing_left()
{
	local kind

	for kind in qp cq mr pd srq ctx; do
		rdma res show $kind 2>/dev/null
	done | grep "$1" || return 0
	return 1
}

# check_after - other traffic works
check_after()
{
	check_verbs "after it:" 200 -d $DEV_A -D $DEV_B -q -t stream/both-ways -t ud/send
}
