# SPDX-License-Identifier: GPL-2.0
# Sourced: what in a kernel log is a failure of a run.

# A report begins its line (WARNING, BUG, INFO) or carries a name of its own.
LAB_STAMP='^(\[ *[0-9.]+\] ?)?(\[ *[CT][0-9]+\] ?)?'
LAB_REPORTS="$LAB_STAMP(WARNING: |BUG:? |kernel BUG at |INFO: (task |trying to register|rcu_|lockdep)|\
rcu: INFO: |Kernel panic|general protection fault|traps: PANIC|double fault|Oops)\
|KASAN: |UBSAN: |ODEBUG: |refcount_t: |KFENCE: |KCSAN: |\
watchdog: (BUG|CPU)|soft lockup|hard LOCKUP|workqueue lockup|\
blocked for more than [0-9]+ seconds|rcu.*self-detected stall|rcu.*detected stalls|\
list_(add|del) corruption|sleeping function called|scheduling while atomic|\
suspicious RCU usage|possible (circular|recursive|irq lock)|inconsistent lock state|\
held lock freed|bad unlock balance|DEBUG_LOCKS_WARN_ON|Bad page (state|map)|\
Unable to handle kernel|unable to handle page fault|usercopy: Kernel memory|\
kmemleak: [0-9]+ new suspected|unregister_netdevice: waiting for|ref_tracker: .*(leaked|has [0-9]+/)|\
Objects remaining in|nobody cared|buffer overflow detected"

# reports LOG [ALLOWED-REGEX...] - print "line:text" of each report
reports()
{
	local log=$1 pattern

	shift
	grep -nE "$LAB_REPORTS" "$log" | {
		if [ $# -eq 0 ]; then
			cat
		else
			pattern=$(printf '%s\n' "$@")
			grep -vE "$pattern"
		fi
	} || true
}

# report_context LOG REPORTS - print the first reports with what follows them
report_context()
{
	local first last

	first=$(sed -n 's/^\([0-9]*\):.*/\1/p' "$2" | head -n 1)
	[ -n "$first" ] || return 0
	last=$((first + 90))
	[ "$first" -gt 6 ] && first=$((first - 6)) || first=1
	sed -n "${first},${last}p" "$1"
	echo "--- all $(wc -l <"$2") report lines (the first 20):"
	head -n 20 "$2"
}
