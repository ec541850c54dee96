#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/ports.sh - UDP source ports: each connection has one of its own, in the
# range of RoCEv2 and always the same, so that routers spread connections and not
# packets; one with a flow label has the port of the label.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

QPS=16

# port_of_label LABEL - as IBA annex A17.9.1 recommends
port_of_label()
{
	echo $((($1 & 0x3fff) ^ ($1 >> 14) | 0xc000))
}

# port_of_qps A B - that of a label made of both QP numbers, which both sides agree on
port_of_qps()
{
	local v=$(($1 * $2))

	v=$((v ^ (v >> 20)))
	v=$((v ^ (v >> 40)))
	port_of_label $((v & 0xfffff))
}

# agree NAME - frames to each QP, and there are some, have the port that the numbers of both
# QPs give
agree()
{
	local a b port

	while read -r _ a b; do
		port=$(port_of_qps "$a" "$b")
		echo "due $a $port"
		echo "due $b $port"
	done < <(grep '^qp ' "$OUT/$1.path") >"$OUT/due"
	awk '/^due / { due[$2] = $3; missing[$2] }
		/^frame / {
			for (i = 1; i <= NF; i++) {
				if (sub(/^sport=/, "", $i))
					port = $i
				else if (sub(/^dqpn=/, "", $i))
					qpn = $i
			}
			delete missing[qpn]
			if (due[qpn] != port) {
				print "QP " qpn ": port " port ", not " due[qpn]
				bad++
			}
		}
		END {
			for (qpn in missing) {
				print "QP " qpn ": no frame"
				bad++
			}
			exit !!bad
		}' "$OUT/due" "$OUT/$1.path"
}

ports()
{
	sed -n 's/^frame .* sport=\([0-9]*\) .*/\1/p' "$OUT/$1.path" | sort -nu
}

in_range()
{
	ports "$1" | awk '$1 < 49152 || $1 > 65535 { print; bad++ } END { exit !NR || bad }'
}

# Two of 16 may meet in 14 bits; more would be a spread that is none.
spread()
{
	local n

	n=$(ports "$1" | wc -l)
	echo "$n ports for $QPS connections"
	[ "$n" -ge $((QPS - 2)) ]
}

one_port()
{
	local got

	got=$(ports "$1")
	[ "$got" = "$2" ] || { echo "$got, not $2"; return 1; }
}

build_path && set_up || { echo "Bail out! no pair of devices, or no program"; exit 1; }
declare -A labels=([4]="1 0x4000 0xfffff" [6]="0x12345")
for version in 4 6; do
	check "IPv$version: data over $QPS connections, twice" path$version p -c $IF_A \
		-q $QPS -n 2 -s 3000
	check "IPv$version: in the range of RoCEv2" in_range p
	check "IPv$version: ports differ" spread p
	check "IPv$version: one for each connection, requests and replies" agree p
	for label in ${labels[$version]}; do
		check "IPv$version: flow label $label" path$version l -c $IF_A -f $label -q 4 \
			-n 1 -s 3000
		check "IPv$version: its port" one_port l "$(port_of_label $label)"
	done
done
pair_down
tap_end
