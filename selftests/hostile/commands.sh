#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# selftests/hostile/commands.sh [COMMANDS] [SEED] - every uverbs command with its parts truncated,
# too long, random; then nothing is left, and traffic works. Root in a guest for the devices; the
# program itself needs no privileges.

HERE=$(dirname "$(readlink -f "$0")")
cd "$HERE/../net" || exit 1
. ./lib.sh
. ./programs.sh
. ../hostile/lib.sh

commands=${1:-100000} seed=${2:-${SORO_SEED:-$RANDOM}}
LIMIT=$((300 + commands / 50))

hostile_setup soro_commands || { echo "Bail out! no pair of devices"; exit 1; }
check_tap "hostile:" $LIMIT "${unprivileged[@]}" $DEV_A $GID_A "$commands" "$seed"
check "nothing is left" wait_until 20 nothing_left soro_commands
check_after
pair_down
tap_end
