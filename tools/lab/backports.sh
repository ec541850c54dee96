# SPDX-License-Identifier: GPL-2.0
# Sourced: apt's view of Debian's backports, in the cache. Were the suite among the machine's own
# sources, it would replace the stock kernel's headers there. Needs common.sh; knows no kernel.

# What is known of Debian's own suite among the configured sources: "URI FILE:NUMBER".
debian_source()
{
	apt-get indextargets --format '$(REPO_URI) $(SOURCESENTRY)' 'Created-By: Packages' \
		'Origin: Debian' "Codename: $1" 'Component: main' 2>/dev/null | awk 'NR == 1'
}

# source_key FILE:NUMBER - signed-by=KEYRING of that source, a line or a paragraph, if it names one
source_key()
{
	local file=${1%:*} number=${1##*:}

	case $file in
	*.sources) grep -v '^#' "$file" | awk -v RS= -v n="$number" 'NR == n' ;;
	*) sed -n "${number}p" "$file" ;;
	esac | sed -n 's/.*signed-by *[:=] *\(\/[^] ,]*\).*/signed-by=\1/Ip'
}

# use_backports CODENAME - whatever apt is asked from here on, it answers from the backports
# alone: same archive and same key as the suite itself.
use_backports()
{
	local dir="$SORO_CACHE/backports" uri entry

	read -r uri entry < <(ask_apt debian_source "$1") ||
		die "no backports of Debian $1: the suite is not among apt's sources"
	mkdir -p "$dir/state" "$dir/cache"
	echo "deb [arch=amd64 $(source_key "$entry")] $uri $1-backports main" >"$dir/sources.list"
	cat >"$dir/apt.conf" <<-END
	Dir::State "$dir/state";
	Dir::State::status "/dev/null";
	Dir::Cache "$dir/cache";
	Dir::Etc::sourcelist "$dir/sources.list";
	Dir::Etc::sourceparts "/dev/null";
	Dir::Etc::preferences "/dev/null";
	Dir::Etc::preferencesparts "/dev/null";
	END
	export APT_CONFIG="$dir/apt.conf"
	apt-get -q -o APT::Update::Error-Mode=any update >"$dir/log" 2>&1 ||
		die "apt does not get $1-backports, see $dir/log"
}
