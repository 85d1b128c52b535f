"""The options of a mount. Each is one field, with its default, its name on the command line and its help."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from zarrcore.cli.source import add_format_argument, add_missing_argument
from zarrfs.mount.option_values import group_number, permissions, user_number
from zarrfs.tree_arguments import TreeArguments, add_options, chosen_options, flag


def _word(name: str, default: str | None = None, parse: Callable[[str], Any] = str) -> Any:
    """A field for a word of mount(8), written after ``-o``; the help does not list it as an option of its own."""
    value = None if default is None else parse(default)
    keywords = {"type": parse, "default": value, "help": argparse.SUPPRESS}
    return field(default=value, metadata={"name": name, "keywords": keywords})


@dataclass(frozen=True, slots=True)
class MountOptions(TreeArguments):
    """How to mount a store."""

    mountpoint: str = field(kw_only=True)
    """Absolute path of an existing directory."""
    metadata_prefetch: bool | None = field(
        default=None,
        metadata={
            "name": "metadata-prefetch",
            "keywords": {
                "action": argparse.BooleanOptionalAction,
                "help": "fetch the metadata of a remote hierarchy in the background, up to 10,000 nodes, when it is mounted;"
                " they are remembered for --metadata-ttl (by default, metadata are only fetched ahead of programs that"
                " list one directory after another; with --no-metadata-prefetch, never)",
            },
        },
    )
    """Fetch the metadata of all nodes of a remote hierarchy once, in the background; None for ahead of programs that walk."""
    xattr: bool = flag("xattr", "show metadata as extended attributes user.zarr.*; this slows 'ls -l' down")
    """Show metadata of nodes as extended attributes."""
    read_write: bool = flag(
        "read-write", "let programs write to keys/ and arrays/; each file is stored when it is closed"
    )
    """Let programs change the store."""
    read_only: bool = flag("ro", argparse.SUPPRESS)
    """Have the kernel refuse all writes, even to ``.zarrscope/refresh``."""
    allow_other: bool = flag("allow_other", argparse.SUPPRESS)
    """Give other users access; the kernel then checks permissions."""
    default_permissions: bool = flag("default_permissions", argparse.SUPPRESS)
    """Have the kernel check permissions."""
    auto_unmount: bool = flag("auto_unmount", argparse.SUPPRESS)
    """Unmount when the daemon dies."""
    fsname: str | None = _word("fsname")
    """The source that mount(8) shows; by default the store's URL."""
    uid: int | None = _word("uid", parse=user_number)
    """The owner that files show; by default the user who mounts."""
    gid: int | None = _word("gid", parse=group_number)
    """The group that files show; by default that of the user who mounts."""
    umask: int = _word("umask", "0", permissions)
    """Permissions to remove from those that files show."""


def add_mount_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of ``zarrscope mount``."""
    group = parser.add_argument_group("mount options")
    group.add_argument("-f", "--foreground", action="store_true", help="stay in the foreground")
    add_options(group, MountOptions)
    add_format_argument(group)
    add_missing_argument(group)
    group.add_argument(
        "--log-file",
        metavar="FILE",
        help="where the daemon logs (default: the system log, or stderr with -f)",
    )
    group.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="warning",
        help="the least severe messages to log (default: %(default)s)",
    )
    group.add_argument(
        "--env-file",
        metavar="FILE",
        help="file of lines NAME=VALUE to add to the environment first, for credentials such as AWS_SECRET_ACCESS_KEY",
    )


def mount_options(namespace: argparse.Namespace, mountpoint: str) -> MountOptions:
    """The options from a parsed command line."""
    return MountOptions(mountpoint=mountpoint, **chosen_options(namespace, MountOptions))
