"""What a mount is asked for, and how a command line or an ``-o`` word says it."""

from __future__ import annotations

import argparse
import grp
import math
import pwd
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from zarrcore.filetypes import FILE_TYPES
from zarrcore.sizes import SIZE_WORDS
from zarrcore.stores.options import size

_NOBODY: Final = (1 << 32) - 1
"""No user has this number: to the kernel it means that none is told."""

SHOWABLE: Final = tuple(kind.suffix for kind in FILE_TYPES if not kind.is_text)
"""The file types that listings can show."""
_SHOWN: Final = tuple(kind.suffix for kind in FILE_TYPES if kind.is_listed)

_IGNORED: Final = frozenset(
    [
        "_netdev",
        "auto",
        "async",
        "atime",
        "defaults",
        "dev",
        "diratime",
        "dirsync",
        "exec",
        "group",
        "iversion",
        "lazytime",
        "loud",
        "mand",
        "noatime",
        "noauto",
        "nodev",
        "nodiratime",
        "noexec",
        "nofail",
        "noiversion",
        "nolazytime",
        "nomand",
        "norelatime",
        "nostrictatime",
        "nosymfollow",
        "nosuid",
        "nouser",
        "owner",
        "relatime",
        "rw",
        "silent",
        "strictatime",
        "suid",
        "sync",
        "user",
        "users",
    ]
)
"""Words that mount(8) and fstab(5) use for themselves."""
_IGNORED_BEGINNINGS: Final = ("x-", "X-", "comment=", "helper=", "uhelper=", "user=")
_WORD: Final = re.compile(r'(?:\\,|"[^"]*"|[^,])+')
"""A comma that belongs to a value is written ``\\,``, or the value is put in quotes, as for mount(8)."""


@dataclass(frozen=True, slots=True)
class MountOptions:
    """How to mount; what to mount is a store."""

    mountpoint: str
    """Absolute path of an existing directory."""
    view: str | None = None
    """``keys``, ``arrays``, ``zarr3`` or ``hdf5`` at the mount point itself; None for all side by side."""
    cache_bytes: int = 512 << 20
    """Decoded chunks and blocks read ahead, in memory."""
    spill_bytes: int = 8 << 30
    """Decoded chunks on disk, of arrays of which a slab has no room in memory."""
    ttl_s: float = 60.0
    """How old an answer may be."""
    disk_cache: bool = False
    """Whether the store keeps its answers, too."""
    threads: int = 32
    """Worker threads for what would wait."""
    read_only: bool = False
    """Have the kernel refuse writing, so that not even ``.zarrscope/refresh`` can be written to."""
    allow_other: bool = False
    """Let other users in; the kernel then checks permissions."""
    default_permissions: bool = False
    """Have the kernel check permissions."""
    auto_unmount: bool = False
    """Have the mount taken away when the daemon dies."""
    fsname: str | None = None
    """What mount(8) shows as the source; by default the store's URL."""
    uid: int | None = None
    """Owner to show; by default whoever mounts."""
    gid: int | None = None
    """Group to show."""
    umask: int = 0
    """Permissions to take away."""
    show: tuple[str, ...] = _SHOWN
    """File types that listings of arrays show; the others open by name."""
    read_write: bool = False
    """Let programs change what the store holds."""
    xattr: bool = False
    """Show facts about nodes as extended attributes."""

    @property
    def share_s(self) -> float:
        """How long each may give an answer again that keeps it: their times add up to the TTL.

        The store's cache, the hierarchy, the trees, the inode numbers and the kernel learn one from the other.
        """
        return self.ttl_s / (5 if self.disk_cache else 4)


def time_to_live(text: str) -> float:
    """Seconds, or ``forever``.

    >>> time_to_live("60"), time_to_live("forever")
    (60.0, inf)
    """
    if text == "forever":
        return math.inf
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"expected seconds or 'forever', found {text!r}")
    return seconds


def user_number(text: str) -> int:
    """A user's number, by number or name.

    >>> user_number("1000"), user_number("root")
    (1000, 0)
    """
    return _number_of(text, "user", lambda name: pwd.getpwnam(name).pw_uid)


def group_number(text: str) -> int:
    """A group's number, by number or name.

    >>> group_number("1000"), group_number("root")
    (1000, 0)
    """
    return _number_of(text, "group", lambda name: grp.getgrnam(name).gr_gid)


def _number_of(text: str, kind: str, named: Callable[[str], int]) -> int:
    if text.isascii() and text.isdigit() and int(text) < _NOBODY:
        return int(text)
    try:
        return named(text)
    except (KeyError, ValueError):
        raise argparse.ArgumentTypeError(f"expected a {kind}'s name or number, found {text!r}") from None


def permissions(text: str) -> int:
    """Permissions in octal.

    >>> permissions("027")
    23
    """
    if not re.fullmatch("0?[0-7]{1,3}", text):
        raise argparse.ArgumentTypeError(f"expected permissions in octal such as 022, found {text!r}")
    return int(text, 8)


def file_types(text: str) -> tuple[str, ...]:
    """File types, with commas between them.

    >>> file_types("npy,tiff"), file_types("")
    (('npy', 'tiff'), ())
    """
    names = tuple(text.split(",")) if text else ()
    for name in names:
        if name not in SHOWABLE:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(SHOWABLE)}, found {name!r}")
    return names


def add_mount_arguments(parser: argparse.ArgumentParser) -> None:
    """Add our own options."""
    group = parser.add_argument_group("mount options")
    group.add_argument("-f", "--foreground", action="store_true", help="stay in the foreground")
    group.add_argument(
        "--view", choices=("keys", "arrays", "zarr3", "hdf5"), help="mount one tree at the mount point itself"
    )
    group.add_argument(
        "--format", metavar="NAME", help="the format of the hierarchy, instead of detecting it"
    )
    group.add_argument(
        "--cache-size",
        type=size,
        default=512 << 20,
        metavar="SIZE",
        help=f"memory for decoded data (512M); such as {SIZE_WORDS}",
    )
    group.add_argument("--spill-size", type=size, default=8 << 30, metavar="SIZE",
                       help="disk for decoded chunks of arrays of which memory holds no slab; 0 for none (8G)")  # fmt: skip
    group.add_argument("--metadata-ttl", type=time_to_live, default=60.0, metavar="SECONDS",
                       help="how old an answer may be: seconds, or 'forever'; 0 always asks the store (60)")  # fmt: skip
    group.add_argument("--show", type=file_types, default=_SHOWN, metavar="TYPE,...",
                       help=f"file types to list, of {','.join(SHOWABLE)}; others open by name ({','.join(_SHOWN)})")  # fmt: skip
    group.add_argument("--xattr", action="store_true",
                       help="show facts as extended attributes user.zarr.*; listings with 'ls -l' get slower")  # fmt: skip
    group.add_argument("--read-write", action="store_true",
                       help="let programs write to keys/ and arrays/; what is written is stored when it is closed")  # fmt: skip
    group.add_argument("--threads", type=_count, default=32, metavar="N", help="worker threads (32)")
    group.add_argument(
        "--log-file", metavar="FILE", help="where the daemon logs; default: the system log, or stderr with -f"
    )
    group.add_argument(
        "--env-file",
        metavar="FILE",
        help="lines NAME=VALUE to add to the environment first, for credentials such as AWS_SECRET_ACCESS_KEY",
    )
    group.add_argument(
        "--log-level", choices=("debug", "info", "warning", "error"), default="warning", help="(warning)"
    )
    # mount(8)'s words; they are written after -o.
    for word in ("ro", "allow_other", "default_permissions", "auto_unmount"):
        group.add_argument(f"--{word}", action="store_true", help=argparse.SUPPRESS)
    group.add_argument("--fsname", help=argparse.SUPPRESS)
    group.add_argument("--uid", type=user_number, help=argparse.SUPPRESS)
    group.add_argument("--gid", type=group_number, help=argparse.SUPPRESS)
    group.add_argument("--umask", type=permissions, default=0, help=argparse.SUPPRESS)


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1000, found {text!r}")
    return int(text)


class OptionWords(argparse.Action):
    """``-o word,word=value,…``: each word is one of the long options, without its dashes.

    Words that mount(8) understands itself are passed over, so that an fstab line works; after ``sloppy`` (its -s) also
    those that nobody understands.
    """

    def __init__(self, *arguments: Any, words: argparse.ArgumentParser, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._words = words

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        for word in _WORD.findall(str(values)):
            text = word.replace("\\,", ",").strip()
            if not text or text in _IGNORED or text.startswith(_IGNORED_BEGINNINGS):
                continue
            if text == "remount":
                parser.error(
                    "-o remount: a mount's options cannot be changed; unmount it, then mount it anew"
                )
            if text == "sloppy":
                namespace.sloppy = True
                continue
            self._take(parser, namespace, text)

    def _take(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, text: str) -> None:
        name, equals, value = text.partition("=")
        if len(value) > 1 and value[0] == value[-1] == '"':
            value = value[1:-1]
        for spelling in (name, name.replace("_", "-")):
            try:
                _, unknown = self._words.parse_known_args([f"--{spelling}{equals}{value}"], namespace)
            except argparse.ArgumentError as error:
                parser.error(f"-o {text}: {error}")
            if not unknown:
                return
        if "sloppy" in namespace:
            return
        parser.error(f"-o {text}: no such option")
