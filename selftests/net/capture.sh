#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/net/capture.sh - what stock programs send, captured between the two
# namespaces: tshark finds nothing malformed, each ICRC is scapy's.

cd "$(dirname "$0")" || exit 1
. ./lib.sh
. ./programs.sh

capture_start()
{
	# Not by way of a function: the signal is for dumpcap itself.
	ip netns exec $NS_A dumpcap -q -i $IF_A -f 'udp port 4791' -w "$1" 2>"$OUT/dumpcap" &
	capture=$!
	wait_until 90 grep -q 'File:' "$OUT/dumpcap" || { cat "$OUT/dumpcap"; return 1; }
}

capture_stop()
{
	# What is still in the ring is written when dumpcap ends.
	kill -TERM $capture
	wait $capture
}

traffic()
{
	check_pingpong two 60 -e -r 16 -s 1 -n 5
	check_pingpong two 60 -e -r 16 -m 256 -s 10000 -n 5
	check_perftest two 60 1 ib_send_bw -e -s 20000 -n 5
	check_perftest two 60 1 ib_write_bw -s 20000 -n 5
	check_perftest two 60 1 ib_read_bw -e -s 20000 -n 5
	check_perftest two 60 1 ib_write_lat -s 3 -n 5
	[ -z "$verbs" ] || check_verbs "captured:" 300 -d $DEV_A -D $DEV_B -q -t data/pmtu1024/read \
		-t data/pmtu256/write_imm -t rnr/late-send -t error/read_rkey_wrong
}

# Whatever is not RoCE, or malformed as such. tshark also guesses other protocols
# from the first bytes of a payload: those guesses do not count.
tshark_is_content()
{
	tshark -n -r "$1" -Y '!infiniband || _ws.malformed && frame.protocols matches "infiniband$"' \
		>"$OUT/malformed" 2>"$OUT/tshark" || { cat "$OUT/tshark"; return 1; }
	head -n 20 "$OUT/malformed"
	[ ! -s "$OUT/malformed" ]
}

# Reserved bits zero, MigReq set, transport version 0, P_Key ffff.
header_is_clean()
{
	tshark -n -r "$1" -T fields -e infiniband.bth.m -e infiniband.bth.tver \
		-e infiniband.bth.p_key -e infiniband.bth.padcnt 2>"$OUT/tshark" |
		awk -F '\t' '{ if ($1 != 1 && $1 != "True" || $2 + 0 != 0) { print; bad++ } }
			END { exit !NR || bad }'
}

build_verbs && verbs=1 || verbs=
set_up || { echo "Bail out! no pair of devices"; exit 1; }
check "train_max of 1" set_train_max 1
check "capture begins" capture_start "$OUT/net.pcapng"
traffic
check "capture ends" capture_stop
check "tshark finds nothing malformed" tshark_is_content "$OUT/net.pcapng"
check "migration request set, version 0" header_is_clean "$OUT/net.pcapng"
check "each ICRC is what scapy computes" "$TOP/selftests/packets/icrc_scapy.py" "$OUT/net.pcapng"
pair_down
tap_end
