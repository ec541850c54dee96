#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/nvme/nvme.sh [--seconds N] [--mib N] - NVMe over RDMA: the kernel's target and host
# over soro, a namespace in memory, fio that verifies what it has written for N seconds (60): IPv4,
# while the controller is reset, IPv6; then nothing is left.
#
# Both ends are on one device, for those of 6.1 know the initial network namespace alone, and
# the connection manager refuses connections between two devices of one namespace.

HERE=$(dirname "$(readlink -f "$0")")
cd "$HERE/../net" || exit 1
. ./lib.sh
. ./programs.sh

ADDR=10.98.0.1
ADDR6=fd98::1
NQN=soro-test
HOST_ID=7c6a1d43-2f0c-4a6b-9d6e-5a3b8d7c1e10
HOST_NQN=nqn.2014-08.org.nvmexpress:uuid:$HOST_ID
CONFIG=/sys/kernel/config
TARGET=$CONFIG/nvmet
NULLB=$CONFIG/nullb/soro
QUEUES=2
seconds=60 mib=64
while [ $# -gt 0 ]; do
	case $1 in
	--seconds) seconds=$2 ;;
	--mib) mib=$2 ;;
	*) echo "Bail out! unknown option $1"; exit 1 ;;
	esac
	shift 2
done

# ---- the two ends ----

device_up()
{
	ip link add va mtu 4500 type veth peer name vb mtu 4500 && ip -batch - <<-END || return
	address add $ADDR/24 dev va
	address add $ADDR6/64 dev va nodad
	link set va up
	link set vb up
	END
	rdma link add $DEV_A type "$LINK_TYPE" netdev va && wait_active $DEV_A &&
		wait_gid $DEV_A $ADDR && wait_gid $DEV_A $ADDR6
}

device_down()
{
	rdma link delete $DEV_A
	ip link delete va
} 2>/dev/null

modules()
{
	modprobe -a configfs nvmet nvmet_rdma nvme_rdma || return
	modprobe null_blk nr_devices=0 || return
	mountpoint -q $CONFIG || mount -t configfs configfs $CONFIG
}

# disk_up - a block device in memory
disk_up()
{
	mkdir $NULLB && echo 1 >$NULLB/memory_backed && echo "$mib" >$NULLB/size &&
		echo 4096 >$NULLB/blocksize && echo 1 >$NULLB/power || return
	wait_until 10 find_disk
}

# find_disk - newer kernels name it as its folder, others by number
find_disk()
{
	for disk in /dev/soro "/dev/nullb$(<$NULLB/index)"; do
		[ ! -b "$disk" ] || return 0
	done
	return 1
}

disk_down()
{
	echo 0 >$NULLB/power && rmdir $NULLB
}

# port_up NUMBER FAMILY ADDRESS
port_up()
{
	local port=$TARGET/ports/$1

	mkdir "$port" && echo rdma >"$port/addr_trtype" && echo "$2" >"$port/addr_adrfam" &&
		echo "$3" >"$port/addr_traddr" && echo 4420 >"$port/addr_trsvcid" &&
		ln -s $TARGET/subsystems/$NQN "$port/subsystems/$NQN"
}

target_up()
{
	local subsystem=$TARGET/subsystems/$NQN

	mkdir $subsystem $subsystem/namespaces/1 && echo 1 >$subsystem/attr_allow_any_host &&
		echo "$disk" >$subsystem/namespaces/1/device_path &&
		echo 1 >$subsystem/namespaces/1/enable &&
		port_up 1 ipv4 $ADDR && port_up 2 ipv6 $ADDR6
}

target_down()
{
	local port

	for port in 1 2; do
		rm -f $TARGET/ports/$port/subsystems/$NQN
		rmdir $TARGET/ports/$port
	done
	echo 0 >$TARGET/subsystems/$NQN/namespaces/1/enable
	rmdir $TARGET/subsystems/$NQN/namespaces/1 $TARGET/subsystems/$NQN
}

# connect ADDRESS - $controller and $volume are what came of it
connect()
{
	timeout 60 nvme connect -t rdma -a "$1" -s 4420 -n $NQN -q $HOST_NQN -I $HOST_ID \
		-i $QUEUES || return
	wait_until 30 find_volume
}

find_volume()
{
	local name

	for name in /sys/class/nvme/nvme*; do
		[ "$(cat "$name/subsysnqn" 2>/dev/null)" = $NQN ] || continue
		controller=/dev/${name##*/}
		for volume in "$controller"n*; do
			[ -b "$volume" ] && return
		done
	done
	return 1
}

disconnect()
{
	timeout 60 nvme disconnect -n $NQN && wait_until 20 test ! -e "$volume"
}

# ---- traffic ----

# verify SECONDS - writes of one block, of several segments, of more than the device's queues
# take in one request; each is read again and compared, by three processes at once
verify()
{
	local part=$((mib / 4))

	cat >"$OUT/fio.job" <<-END
	[global]
	filename=$volume
	direct=1
	ioengine=libaio
	rw=randwrite
	verify=crc32c
	verify_fatal=1
	verify_backlog=128
	time_based=1
	runtime=$1
	randrepeat=1
	allrandrepeat=1
	randseed=${SORO_SEED:-1}
	group_reporting=1
	size=${part}m
	[small]
	bs=4k
	iodepth=16
	offset=0
	[middle]
	bs=64k
	iodepth=8
	offset=${part}m
	[large]
	bs=1m
	iodepth=4
	offset=$((2 * part))m
	END
	timeout -k 5 $(($1 + 120)) fio --output-format=terse --terse-version=3 "$OUT/fio.job" \
		>"$OUT/fio" 2>&1 || { tail -n 20 "$OUT/fio"; return 1; }
	# Fields of a terse line: 6 and 47 are KiB read and written.
	awk -F';' '$1 == 3 { read += $6; written += $47; error += $5 }
		END {
			printf "%d KiB written, %d KiB read and compared, error %d\n", written, read, error
			exit !(read && written && !error)
		}' "$OUT/fio" | tee "$OUT/amount"
	return "${PIPESTATUS[0]}"
}

# check_verify NAME SECONDS - that as a test, and how much it was as a comment
check_verify()
{
	check "$1: fio verifies for $2 s" verify "$2"
	sed 's/^/# /' "$OUT/amount" 2>/dev/null
}

# resets SECONDS - the controller is reset again and again under that
resets()
{
	local end=$((SECONDS + $1)) n=0

	verify "$1" >"$OUT/resets" &
	while [ $SECONDS -lt $end ]; do
		timeout 60 nvme reset "$controller" && n=$((n + 1))
		sleep 1
	done
	wait $! || { cat "$OUT/resets"; return 1; }
	echo "$n resets"
	[ $n -gt 0 ]
}

# no_queues - of either end
no_queues()
{
	rdma res show qp 2>/dev/null | grep -E 'nvme|nvmet' || return 0
	return 1
}

# ---- the test ----

# connection NAME ADDRESS SECONDS
connection()
{
	check "$1: connect" connect "$2"
	if [ -b "${volume:-}" ]; then
		check_verify "$1" "$3"
		check "$1: fio verifies while the controller is reset" resets $((4 + $3 / 6))
	else
		skip "$1: fio" "there is no volume"
	fi
	check "$1: disconnect" disconnect
	check "$1: nothing is left" wait_until 30 no_queues
}

clean_slate
load_soro
if ! modules; then
	skip "nvme over RDMA" "this kernel has no nvme-rdma, nvmet-rdma or null_blk"
	tap_end
	exit
fi
trap device_down EXIT
device_up && disk_up && target_up || { echo "Bail out! no target"; exit 1; }
connection "IPv4" $ADDR "$seconds"
connection "IPv6" $ADDR6 $((4 + seconds / 3))
check "the target goes" target_down
check "the disk goes" disk_down
check "modules go" wait_until 30 modprobe -r nvme_rdma nvmet_rdma null_blk
tap_end
