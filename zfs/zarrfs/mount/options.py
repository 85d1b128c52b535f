"""The options of a mount: each is one field, with its default, its name on the command line and its help."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from zarrcore.cli.store_arguments import size
from zarrcore.filetypes import FILE_TYPES
from zarrcore.sizes import SIZE_WORDS
from zarrfs.mount.option_values import (
    SHOWABLE,
    file_types,
    group_number,
    permissions,
    thread_count,
    time_to_live,
    user_number,
)

_LISTED: Final = ",".join(kind.suffix for kind in FILE_TYPES if kind.is_listed)


def _option(
    name: str,
    help_text: str,
    default: str | None = None,
    parse: Callable[[str], Any] = str,
    metavar: str | None = None,
    choices: Sequence[str] | None = None,
) -> Any:
    """A field that the command line sets; the default is written as the command line would have it."""
    value = None if default is None else parse(default)
    if default:
        help_text = f"{help_text} ({default})"
    keywords = {"type": parse, "help": help_text, "metavar": metavar, "choices": choices}
    return field(default=value, metadata={"name": name, "keywords": {**keywords, "default": value}})


def _flag(name: str, help_text: str) -> Any:
    return field(
        default=False, metadata={"name": name, "keywords": {"action": "store_true", "help": help_text}}
    )


def _word(name: str, default: str | None = None, parse: Callable[[str], Any] = str) -> Any:
    """A field that mount(8) has a word for; it is written after ``-o``, and the help does not show it by itself."""
    value = None if default is None else parse(default)
    keywords = {"type": parse, "default": value, "help": argparse.SUPPRESS}
    return field(default=value, metadata={"name": name, "keywords": keywords})


@dataclass(frozen=True, slots=True)
class MountOptions:
    """How to mount; what to mount is a store."""

    mountpoint: str
    """Absolute path of an existing directory."""
    view: str | None = _option(
        "view", "mount one tree at the mount point itself", choices=("keys", "arrays", "zarr3", "hdf5")
    )
    """The tree at the mount point itself; None for all side by side."""
    cache_bytes: int = _option(
        "cache-size", f"memory for decoded data; a size such as {SIZE_WORDS}", "512M", size, "SIZE"
    )
    """Decoded chunks and blocks read ahead, in memory."""
    spill_bytes: int = _option(
        "spill-size",
        "disk space for decoded chunks that do not fit in --cache-size; 0 for none",
        "8G",
        size,
        "SIZE",
    )
    """Decoded chunks on disk, of arrays whose rows of chunks do not fit in memory."""
    ttl_s: float = _option(
        "metadata-ttl",
        "how old an answer may be: seconds, or 'forever'; 0 always asks the store",
        "60",
        time_to_live,
        "SECONDS",
    )
    """How old an answer may be."""
    show: tuple[str, ...] = _option(
        "show",
        f"file types to list, of {','.join(SHOWABLE)}; others open by name",
        _LISTED,
        file_types,
        "TYPE,...",
    )
    """File types that listings of arrays show; the others open by name."""
    xattr: bool = _flag(
        "xattr", "show metadata as extended attributes user.zarr.*; listings with 'ls -l' get slower"
    )
    """Show metadata of nodes as extended attributes."""
    read_write: bool = _flag(
        "read-write", "let programs write to keys/ and arrays/; what is written is stored when it is closed"
    )
    """Let programs change what the store holds."""
    threads: int = _option("threads", "worker threads", "32", thread_count, "N")
    """Worker threads for calls that wait."""
    read_only: bool = _flag("ro", argparse.SUPPRESS)
    """Have the kernel refuse writing, so that not even ``.zarrscope/refresh`` can be written to."""
    allow_other: bool = _flag("allow_other", argparse.SUPPRESS)
    """Let other users in; the kernel then checks permissions."""
    default_permissions: bool = _flag("default_permissions", argparse.SUPPRESS)
    """Have the kernel check permissions."""
    auto_unmount: bool = _flag("auto_unmount", argparse.SUPPRESS)
    """Unmount when the daemon dies."""
    fsname: str | None = _word("fsname")
    """What mount(8) shows as the source; by default the store's URL."""
    uid: int | None = _word("uid", parse=user_number)
    """Owner to show; by default the user who mounts."""
    gid: int | None = _word("gid", parse=group_number)
    """Group to show."""
    umask: int = _word("umask", "0", permissions)
    """Permissions to take away."""
    disk_cache: bool = False
    """Whether the store keeps its answers, too; the options of the store say so."""

    @property
    def share_s(self) -> float:
        """How long each cache may repeat an answer: their times add up to the TTL.

        The store's cache, the hierarchy, the trees, the inode numbers and the kernel learn one from the other.
        """
        return self.ttl_s / (5 if self.disk_cache else 4)


def add_mount_arguments(parser: argparse.ArgumentParser) -> None:
    """Add our own options."""
    group = parser.add_argument_group("mount options")
    group.add_argument("-f", "--foreground", action="store_true", help="stay in the foreground")
    for option in fields(MountOptions):
        if option.metadata:
            group.add_argument(f"--{option.metadata['name']}", **option.metadata["keywords"])
    group.add_argument(
        "--format", metavar="NAME", help="the format of the hierarchy, instead of detecting it"
    )
    group.add_argument(
        "--log-file", metavar="FILE", help="where the daemon logs; default: the system log, or stderr with -f"
    )
    group.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="warning",
        help="the least severe messages to log (%(default)s)",
    )
    group.add_argument(
        "--env-file",
        metavar="FILE",
        help="lines NAME=VALUE to add to the environment first, for credentials such as AWS_SECRET_ACCESS_KEY",
    )


def mount_options(namespace: argparse.Namespace, mountpoint: str) -> MountOptions:
    """The options that a command line gave."""
    given = {
        option.name: getattr(namespace, option.metadata["name"].replace("-", "_"))
        for option in fields(MountOptions)
        if option.metadata
    }
    return MountOptions(mountpoint, disk_cache=namespace.cache_dir is not None, **given)
