#!/bin/sh
# zarrscope in one file: this script, followed by an archive of the program. The first start unpacks the archive into the
# user's cache; later starts run what is there. A link to this file named zarrbrowser opens the window.
set -u
build=@BUILD@

say() { echo "zarrscope: $*" >&2; }

usable() { # FOLDER: whether this user, and no other, can keep programs there
    [ -d "$1" ] || (umask 077 && mkdir -p "$1") 2>/dev/null
    [ -d "$1" ] && [ ! -L "$1" ] && [ -O "$1" ] && [ -w "$1" ]
}

unpack() { # FOLDER: unpacks the program there
    new=$(mktemp -d "$1/new.XXXXXX") || return 1
    trap 'rm -rf "$new"; exit 1' HUP INT TERM
    if [ -t 2 ]; then say "unpacking to $1/$build, which happens once"; fi
    # Renamed when it is complete, since several first starts can happen at once.
    if tail -n +@LINES@ "$0" | tar -xz -C "$new" && { mv -T "$new" "$1/$build" 2>/dev/null || [ -d "$1/$build" ]; }; then
        remove_earlier "$1"
        status=0
    else
        status=1
    fi
    rm -rf "$new"
    trap - HUP INT TERM
    return $status
}

remove_earlier() { # FOLDER: removes the programs of other files, unless they run
    running=$(ls -l /proc/[0-9]*/exe 2>/dev/null)
    here=$(cd "$1" && pwd -P)
    for old in "$here"/*; do
        case $old in */$build | */new.*) continue ;; esac
        case $running in *"$old/"*) ;; *) rm -rf "$old" ;; esac
    done
    find "$here" -maxdepth 1 -name 'new.*' -mtime +0 -exec rm -rf {} + # of starts that were killed
}

case ${0##*/} in
    zarrbrowser*) program=zarrbrowser ;;
    mount.zarrscope | mount.fuse.zarrscope) program=${0##*/} ;;
    *) program=zarrscope ;;
esac

set_place() { # tries the folders where programs can be kept, and sets "place" to the first that works
    for cache in "${XDG_CACHE_HOME:-}" "${HOME:-}/.cache" "${TMPDIR:-/tmp}"; do
        case $cache in
            "" | /.cache) continue ;;
            "${TMPDIR:-/tmp}") folder=$cache/zarrscope-$(id -u) ;;
            *) folder=$cache/zarrscope/programs ;;
        esac
        place=$folder/$build
        if [ -x "$place/zarrscope" ] && [ -O "$folder" ]; then return 0; fi
        # -x is false on a file system that runs no programs.
        if usable "$folder" && unpack "$folder" && [ -x "$place/zarrscope" ]; then return 0; fi
    done
    return 1
}

if ! set_place; then
    say "cannot unpack the program: XDG_CACHE_HOME or TMPDIR must name a folder with 300 MB of space where programs may run"
    exit 1
fi
exec "$place/$program" "$@"
