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

# ask_apt COMMAND... - what it prints; if nothing, once more with new lists
ask_apt()
{
	local answer

	answer=$("$@") || true
	if [ -z "$answer" ] && [ "$(id -u)" = 0 ]; then
		apt-get -q update >/dev/null 2>&1 || true
		answer=$("$@") || true
	fi
	[ -n "$answer" ] && echo "$answer"
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

# sync_sources DEST - bring DEST/src to the state of the module's sources here.
# Same files, same times: make compiles only what changed. The caller holds a
# lock on DEST.
sync_sources()
{
	local part parts=()

	mkdir -p "$1/src"
	for part in Kbuild compat include drivers; do
		[ ! -e "$TOP_DIR/$part" ] || parts+=("$part")
	done
	(cd "$TOP_DIR" && find "${parts[@]}" -type f \( -name '*.[chS]' -o -name 'Kbuild*' \
		-o -name 'Makefile*' \) ! -name '*.mod.c' | LC_ALL=C sort) >"$1/new"
	if [ -e "$1/old" ]; then
		LC_ALL=C comm -13 "$1/new" "$1/old" | (cd "$1/src" && xargs -r -d '\n' rm -f)
	fi
	tar -c -C "$TOP_DIR" -T "$1/new" | tar -x -C "$1/src"
	mv "$1/new" "$1/old"
}

# build_directory NAME - where builds of this checkout for NAME live, printed
build_directory()
{
	echo "$SORO_CACHE/build/$1-$(echo "$TOP_DIR" | sha256sum | cut -c1-8)"
}
