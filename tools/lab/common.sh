# SPDX-License-Identifier: GPL-2.0
# Sourced by the lab's scripts: where things are, messages, packages.
# Knows nothing of soro itself.

LAB_DIR=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
TOP_DIR=$(cd "$LAB_DIR/../.." && pwd -P)
PATH=$PATH:/usr/sbin:/sbin
if [ -z "${SORO_CACHE:-}" ]; then
	SORO_CACHE=/var/cache/soro
	mkdir -p "$SORO_CACHE" 2>/dev/null && [ -w "$SORO_CACHE" ] ||
		SORO_CACHE=${XDG_CACHE_HOME:-$HOME/.cache}/soro
fi
mkdir -p "$SORO_CACHE"

say()
{
	[ -n "${LAB_QUIET:-}" ] || echo "lab: $*" >&2
}

die()
{
	echo "lab: $*" >&2
	exit 98
}

# need PROGRAM:PACKAGE ... - install the packages of programs or files that are
# missing; without root, name them and stop.
need()
{
	local item probe packages=()

	for item in "$@"; do
		probe=${item%%:*}
		case $probe in
		/*) [ -e "$probe" ] ;;
		*) type -P "$probe" >/dev/null ;;
		esac || packages+=("${item#*:}")
	done
	[ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}"
}

install_packages()
{
	local wanted

	wanted=$(printf '%s\n' "$@" | sort -u | tr '\n' ' ')
	[ "$(id -u)" = 0 ] || die "missing packages, install them as root: apt-get install $wanted"
	say "installing $wanted"
	(
		exec 9>"$SORO_CACHE/apt.lock"
		flock 9
		export DEBIAN_FRONTEND=noninteractive
		apt_install $wanted || { apt-get -q update && apt_install $wanted; }
	) >"$SORO_CACHE/apt.log" 2>&1 || die "apt-get install failed, see $SORO_CACHE/apt.log"
}

apt_install()
{
	apt-get -q -y -o DPkg::Lock::Timeout=300 --no-install-recommends install "$@"
}

# fetch_package NAME[=VERSION] DIRECTORY - download a .deb, print its path
fetch_package()
{
	local dir=$2

	mkdir -p "$dir"
	(
		cd "$dir" || exit 1
		apt-get -q download "$1" || {
			[ "$(id -u)" = 0 ] && apt-get -q update && apt-get -q download "$1"
		}
	) >"$dir/fetch.log" 2>&1 || die "cannot download $1, see $dir/fetch.log"
	ls -t "$dir/${1%%=*}"_*.deb | head -n 1
}
