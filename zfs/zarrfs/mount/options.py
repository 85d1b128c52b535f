"""The options of a mount. Each is one field, with its default, its name on the command line and its help."""

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
from zarrfs.trees.root import TreeName

_LISTED: Final = ",".join(kind.suffix for kind in FILE_TYPES if kind.is_listed)


def _option(
    name: str,
    help_text: str,
    default: str | None = None,
    parse: Callable[[str], Any] = str,
    metavar: str | None = None,
    choices: Sequence[str] | None = None,
) -> Any:
    """A field that the command line sets; the default is written as on the command line."""
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
    """A field for a word of mount(8), written after ``-o``; the help does not list it as an option of its own."""
    value = None if default is None else parse(default)
    keywords = {"type": parse, "default": value, "help": argparse.SUPPRESS}
    return field(default=value, metadata={"name": name, "keywords": keywords})


@dataclass(frozen=True, slots=True)
class MountOptions:
    """How to mount a store."""

    mountpoint: str
    """Absolute path of an existing directory."""
    view: str | None = _option(
        "view", "mount one tree at the mount point itself", choices=[tree.value for tree in TreeName]
    )
    """The tree at the mount point itself; None for all trees as directories."""
    cache_bytes: int = _option(
        "cache-size", f"memory for decoded data; a size such as {SIZE_WORDS}", "512M", size, "SIZE"
    )
    """Memory for decoded chunks and read-ahead, in bytes."""
    spill_bytes: int = _option(
        "spill-size",
        "disk space for decoded chunks that do not fit in --cache-size; 0 for none",
        "8G",
        size,
        "SIZE",
    )
    """Disk space for decoded chunks of arrays whose rows of chunks do not fit in memory, in bytes."""
    ttl_s: float = _option(
        "metadata-ttl",
        "how old an answer may be: seconds, or 'forever'; 0 always asks the store",
        "60",
        time_to_live,
        "SECONDS",
    )
    """The maximum age of an answer, in seconds."""
    metadata_prefetch: bool = _flag(
        "metadata-prefetch",
        "after mounting, fetch the metadata of all nodes of a remote hierarchy in the background, up to 10,000; they are"
        " remembered for a quarter of --metadata-ttl",
    )
    """Fetch the metadata of all nodes of a remote hierarchy once, in the background."""
    show: tuple[str, ...] = _option(
        "show",
        f"file types to list, of {','.join(SHOWABLE)}; others open by name",
        _LISTED,
        file_types,
        "TYPE,...",
    )
    """File types that listings show; the others open by name."""
    xattr: bool = _flag("xattr", "show metadata as extended attributes user.zarr.*; this slows 'ls -l' down")
    """Show metadata of nodes as extended attributes."""
    read_write: bool = _flag(
        "read-write", "let programs write to keys/ and arrays/; each file is stored when it is closed"
    )
    """Let programs change the store."""
    threads: int = _option("threads", "worker threads", "32", thread_count, "N")
    """Worker threads for calls that wait."""
    read_only: bool = _flag("ro", argparse.SUPPRESS)
    """Have the kernel refuse all writes, even to ``.zarrscope/refresh``."""
    allow_other: bool = _flag("allow_other", argparse.SUPPRESS)
    """Give other users access; the kernel then checks permissions."""
    default_permissions: bool = _flag("default_permissions", argparse.SUPPRESS)
    """Have the kernel check permissions."""
    auto_unmount: bool = _flag("auto_unmount", argparse.SUPPRESS)
    """Unmount when the daemon dies."""
    fsname: str | None = _word("fsname")
    """The source that mount(8) shows; by default the store's URL."""
    uid: int | None = _word("uid", parse=user_number)
    """The owner that files show; by default the user who mounts."""
    gid: int | None = _word("gid", parse=group_number)
    """The group that files show; by default that of the user who mounts."""
    umask: int = _word("umask", "0", permissions)
    """Permissions to remove from those that files show."""
    store_cache: bool = False
    """Whether the store also caches its answers; set from the options of the store."""

    @property
    def share_s(self) -> float:
        """How long each cache may repeat an answer. The times add up to the TTL.

        The store's cache, the hierarchy, the trees, the inode numbers and the kernel each learn from the one before.
        """
        return self.ttl_s / (5 if self.store_cache else 4)


def add_mount_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``zarrscope mount``."""
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
        help="file of lines NAME=VALUE to add to the environment first, for credentials such as AWS_SECRET_ACCESS_KEY",
    )


def mount_options(namespace: argparse.Namespace, mountpoint: str) -> MountOptions:
    """The options from a parsed command line."""
    given = {
        option.name: getattr(namespace, option.metadata["name"].replace("-", "_"))
        for option in fields(MountOptions)
        if option.metadata
    }
    cached = namespace.cache_dir is not None or namespace.cache_url is not None
    return MountOptions(mountpoint, store_cache=cached, **given)
