# shellcheck shell=bash
# For the scripts that build packages and try them: roots of debootstrap, minimal systems of a release of Debian. They
# source this file, and call "begin" first.

# shellcheck disable=SC2034  # for the scripts that source this file
window_libraries=(libegl1 libgl1 libglib2.0-0 libdbus-1-3 libfontconfig1 libxkbcommon0 libxcb-cursor0 libxcb-icccm4
    libxcb-keysyms1 libxcb-shape0 libxcb-randr0 libxcb-render-util0 libxcb-xkb1 libxcb-sync1 libxcb-xfixes0 libxcb-image0
    libx11-xcb1 libxkbcommon-x11-0)

script=$(basename "$0")
root=$(CDPATH="" cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd -P)
venv=$root/${ZARRSCOPE_VENV:-.venv}

say() { printf '%s: %s\n' "$script" "$*"; }
fail() { printf '%s: %s\n' "$script" "$*" >&2; exit 1; }

begin() { # RELEASE: checks that roots can be made, and makes the folder $work for this run
    release=$1
    ((EUID == 0)) || fail "debootstrap and chroot need root"
    command -v debootstrap >/dev/null || fail "debootstrap is not installed: apt install debootstrap"
    work=$(mktemp -d)
    log=$work/log
    trap end EXIT
}
end() {
    local place # the paths below have no blanks
    awk -v below="$work/" 'index($2, below) == 1 { print $2 }' /proc/self/mounts | sort --reverse | while IFS= read -r place; do
        umount --lazy "$place"
    done
    rm -rf --one-file-system "$work"
}

quietly() { # runs a command; shows the end of its output if it fails
    local teller status=0
    tell_progress &
    teller=$!
    "$@" >"$log" 2>&1 </dev/null || status=$?
    kill "$teller" 2>/dev/null || true
    if ((status)); then
        tail -n 20 "$log" >&2
        fail "this command failed: $*"
    fi
}

tell_progress() { # each quarter of a minute, what the command does that runs
    local waited=0
    while sleep 15 >/dev/null 2>&1 && kill -0 $$ 2>/dev/null; do
        waited=$((waited + 15))
        say "… $waited s so far: $(tail -n 1 "$log" 2>/dev/null | tr '\r' '\n' | tail -n 1 | tr -cd ' -~' | cut -c -90)"
    done
}

make_root() { # NAME: a minimal system of the release, in $base
    base=$work/$1
    say "making a root of $release: half a minute"
    quietly debootstrap --variant=minbase "$release" "$base"
    printf '#!/bin/sh\nexit 101\n' >"$base/usr/sbin/policy-rc.d" # start no services
    chmod 755 "$base/usr/sbin/policy-rc.d"
    ln -sf ../proc/self/mounts "$base/etc/mtab" # as the installer of Debian does
    mount --rbind /dev "$base/dev"
    mount --make-rslave "$base/dev"
    mount -t proc proc "$base/proc"
    if [[ -c /dev/fuse ]]; then # all users of the root may mount, as on any desktop
        cp --archive /dev/fuse "$work/fuse"
        chmod 666 "$work/fuse"
        mount --bind "$work/fuse" "$base/dev/fuse"
    fi
    certificates=
    if [[ -e /etc/ssl/certs/ca-certificates.crt ]]; then # pip and uv trust what this machine trusts
        certificates=/tmp/certificates.crt
        cp /etc/ssl/certs/ca-certificates.crt "$base$certificates"
    fi
}
inside() { # runs a command in the root
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        ${certificates:+PIP_CERT="$certificates" SSL_CERT_FILE="$certificates"} chroot "$base" "$@"
}
install_inside() { quietly inside apt-get --quiet --yes --no-install-recommends install "$@"; }

# ---------------------------------------------------------------- a virtual environment without what is not used

building=(python3 python3-venv python3-dev gcc libc6-dev libfuse3-dev pkg-config ca-certificates binutils)

install_wheel() { # WHEEL PLACE: makes the virtual environment PLACE in the root, with the wheel and everything that it can use
    cp "$1" "$base/tmp"
    quietly inside python3 -m venv "$2"
    quietly inside "$2/bin/pip" install --no-compile --no-cache-dir "/tmp/$(basename "$1")[all]"
    site=$(echo "$base$2"/lib/python3.*/site-packages)
    remove_unused
}

qt_modules='QtCore|QtGui|QtWidgets|QtSvg|QtTest|QtOpenGL|QtOpenGLWidgets|QtDBus' # which the window and pyqtgraph import
qt_plugins='iconengines|imageformats|platforminputcontexts|platforms|platformthemes|wayland-.*|xcbglintegrations'
qt_platforms='libqxcb|libqwayland.*|libqoffscreen|libqminimal'
aws_services='sts|sso|sso-oidc|signin' # boto3 is used for credentials only

remove_unused() { # removes what zarrscope does not use from $site
    local qt=$site/PySide6 file
    rm -rf "$site"/{certifi,numpy,numcodecs,trio}/{tests,_tests} "$site"/numpy/*/tests "$site/pyqtgraph/examples"
    find "$site/botocore/data" -mindepth 1 -maxdepth 1 -type d -regextype posix-extended ! -regex ".*/($aws_services)" -exec rm -rf {} +
    rm -rf "$qt"/{assistant,designer,linguist,lrelease,lupdate,qml*,svgtoqml,balsam*,doc,glue,include,scripts,typesystems} \
        "$qt"/Qt/{libexec,metatypes,qml,translations}
    find "$qt" -maxdepth 1 -name 'Qt*.so' -regextype posix-extended ! -regex ".*/($qt_modules)\..*" -delete
    find "$qt/Qt/plugins" -mindepth 1 -maxdepth 1 -regextype posix-extended ! -regex ".*/($qt_plugins)" -exec rm -rf {} +
    find "$qt/Qt/plugins/platforms" -type f -regextype posix-extended ! -regex ".*/($qt_platforms)\.so" -delete
    local needed
    needed=$(cd "$base" && find "${qt#"$base/"}" -name '*.so*' ! -path '*/Qt/lib/*' -exec chroot . ldd {} + 2>/dev/null)
    for file in "$qt"/Qt/lib/*.so*; do
        [[ $needed == *"/$(basename "$file") "* ]] || rm "$file"
    done
    find "$site" -type f -name '*.so*' | while IFS= read -r file; do # some wheels contain what only a debugger reads
        if readelf --section-headers --wide "$file" 2>/dev/null | grep -q ' \.debug_info '; then strip --strip-debug "$file"; fi
    done
}
remove_sources() { # removes the sources and types of compiled modules, which PyInstaller reads, from $site
    find "$site" -type f \( -name '*.pyi' -o -name '*.pyx' -o -name '*.pxd' -o -name '*.c' -o -name '*.h' -o -name '*.a' \) -delete
}

# ---------------------------------------------------------------- using an installation

make_person() { # makes an ordinary user with the demonstration's hierarchy in the home folder
    quietly inside useradd --create-home --shell /bin/bash person
    quietly "$venv/bin/python" "$root/packaging/demo_hierarchy.py" "$base/home/person/brain.zarr"
}
as_person() { # runs a command as that user, in the home folder
    quietly inside su --login --whitelist-environment=PIP_CERT,SSL_CERT_FILE person --command "$(printf '%q ' "$@")"
}

use_commands() {
    say "using the commands"
    as_person zarrscope --version
    as_person zarrscope tree brain.zarr
    as_person zarrscope info brain.zarr /functional
    as_person zarrscope check brain.zarr
    as_person zarrscope copy --to v2 brain.zarr v2.zarr
    as_person sh -c 'zarrscope reference --zarr-format 3 brain.zarr -o brain.refs.json && zarrscope tree brain.refs.json && rm brain.refs.json'
    as_person zarrscope doctor
    as_person sh -c 'zarrscope tree --retries 0 s3://bucket/a --anonymous --endpoint-url https://127.0.0.1:1 2>&1 | grep "refuses the connection"'
    as_person bash -c 'eval "$(zarrscope completion bash)" && complete -p zarrscope'
    as_person bash -c '[[ $(COMP_LINE="zarrscope info brain.zarr /fun" COMP_POINT=30 _ARGCOMPLETE=1 zarrscope 8>&1) == *functional* ]]'
    as_person rm -r v2.zarr
}

use_mount() {
    say "using a mount"
    as_person sh -c 'mkdir mnt && zarrscope mount brain.zarr mnt && zarrscope doctor | grep "brain.zarr at .* answers"'
    as_person sh -c 'test "$(head -c 6 mnt/arrays/functional/data.npy | tail -c 5)" = NUMPY && cp mnt/hdf5/functional.h5 mnt/arrays/functional/slices/1/12.png .'
    as_person sh -c 'zarrscope umount mnt && ! mountpoint -q mnt && rmdir mnt && rm functional.h5 12.png'
    if [[ -e $base/usr/sbin/mount.zarrscope ]]; then
        quietly inside sh -c 'mount -t zarrscope /home/person/brain.zarr /mnt -o allow_other && test -s /mnt/arrays/functional/data.npy && umount /mnt'
    fi
}

use_window() { # PICTURE: writes a picture of the window; a virtual display must be installed
    say "using the window"
    as_person xvfb-run --auto-servernum zarrscope browse --fresh --screenshot browse.png brain.zarr /functional
    as_person xvfb-run --auto-servernum zarrbrowser --fresh --screenshot window.png brain.zarr /functional
    as_person xvfb-run --auto-servernum sh -c 'zarrscope doctor | grep "a window can open"'
    cp "$base/home/person/window.png" "$1"
}
