"""``zarrscope mount`` and ``zarrscope umount``.

Only what parsing a command line needs is imported at the top. The rest is imported when it is used, and whatever starts
threads is imported after the fork.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import logging
import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from zarrcore.cli.completion import complete_by
from zarrcore.cli.source import SOURCE_HELP
from zarrcore.cli.store_arguments import add_store_arguments, store_options
from zarrfs.mount.option_words import OptionWords
from zarrfs.mount.options import MountOptions, add_mount_arguments, mount_options

if TYPE_CHECKING:  # loading these takes long
    from zarrcore.stores import ReadableStore
    from zarrfs.mount.outcome import Outcome

_MOUNT_EXAMPLES = """\
The mount point then holds keys/ (every key of the store as a file), arrays/ (groups and arrays as directories,
with data.npy, data.raw, metadata.json, slices/...), zarr3/ (the hierarchy as uncompressed Zarr v3, whatever its
format, for other readers) and hdf5/ (arrays as HDF5 files NAME.h5; unlisted names: groups as __all__.h5, and NetCDF-4 files
NAME.nc). With --read-write, programs write files in keys/ and change arrays in place through data.npy and data.raw; each
file is stored when it is closed. Unmount with 'zarrscope umount MOUNTPOINT'.
"""


def register_mount(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``mount`` to the command line."""
    words = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    add_mount_arguments(words)
    add_store_arguments(words)
    parser = subparsers.add_parser(
        "mount",
        parents=[words],
        help="show a store as a directory",
        description="Show a store as a directory: a hierarchy, or a folder or bucket of many.",
        epilog=_MOUNT_EXAMPLES,
        examples=(
            "mount brain.zarr mnt",
            "mount brain.zarr mnt --read-write",
            "mount s3://bucket/data.zarr mnt --anonymous --cache-dir cache",
        ),
    )
    parser.add_argument(
        "source",
        metavar="SOURCE",
        help=SOURCE_HELP,
    )
    parser.add_argument("mountpoint", metavar="MOUNTPOINT", help="an existing directory")
    parser.add_argument(
        "-o",
        action=OptionWords,
        words=words,
        dest=argparse.SUPPRESS,
        metavar="WORD,...",
        help="ro, allow_other, default_permissions, auto_unmount, fsname=, uid=, gid=, umask=, "
        "or the long name of any other option, without the dashes",
    )
    parser.set_defaults(run=_mount)


def register_umount(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``umount`` to the command line."""
    parser = subparsers.add_parser(
        "umount",
        help="unmount a store",
        description="Unmount, and wait until the daemons have ended.",
        epilog="Exit status: 0 all are unmounted; 1 a mount is not a zarrscope mount, is busy (the message names the"
        " processes) or hangs; 2 the command line is wrong.",
        examples=(
            "umount mnt",
            "umount --lazy mnt",
        ),
    )
    mountpoints = parser.add_argument(
        "mountpoints", metavar="MOUNTPOINT", nargs="+", help="a directory on which a store is mounted"
    )
    complete_by(mountpoints, _mounted)
    parser.add_argument(
        "-l",
        "--lazy",
        action="store_true",
        help="unmount even while programs use it: its names disappear at once, its daemon ends when the last file is closed",
    )
    parser.set_defaults(run=_umount)


def _mounted(**_: Any) -> list[str]:
    from zarrfs.mount.mountpoints import FSTYPE, all_mounted

    return [mount.mountpoint for mount in all_mounted() if mount.fstype == FSTYPE]


def _mount(namespace: argparse.Namespace) -> int:
    from zarrcore.cli.text import printable
    from zarrcore.errors import MissingExtraError
    from zarrcore.stores import split_uri
    from zarrfs import process_list
    from zarrfs.mount import daemon, mountpoints

    for module in ("pyfuse3", "trio"):
        if importlib.util.find_spec(module) is None:
            raise MissingExtraError("mounting", "fuse")
    mountpoints.check_device()
    if namespace.read_write and namespace.ro:
        raise mountpoints.MountError("cannot mount with both ro and --read-write: omit one of them")
    options = mount_options(namespace, mountpoints.prepare(namespace.mountpoint))
    mountpoints.refuse_nested(options.mountpoint, split_uri(namespace.source)[0])
    if namespace.cache_dir is not None:
        mountpoints.refuse_inside(options.mountpoint, namespace.cache_dir)
    process_list.hide(process_list.source_secrets(namespace))
    if mountpoints.hides_something(options.mountpoint):
        note = (
            f"{printable(options.mountpoint)} is not empty: its content is hidden while the store is mounted"
        )
        print(f"zarrscope: note: {note}", file=sys.stderr)
    serve = _server(namespace, options)
    if namespace.foreground:
        daemon.run_in_foreground(serve)
    else:
        daemon.run_in_background(serve)
    return 0


def _server(namespace: argparse.Namespace, options: MountOptions) -> Callable[[Callable[[], None]], None]:
    """The function that opens the source and serves it; to be called after the fork."""

    def serve(ready: Callable[[], None]) -> None:
        from zarrcore.stores import open_store, split_uri, writable
        from zarrfs.mount import logs
        from zarrfs.mount.mount import Mount
        from zarrfs.mount.outcome import Outcome
        from zarrfs.trees.opening import absolute, hierarchy_opener, part_of
        from zarrfs.trees.store_trees import STORE_PART

        if namespace.format is not None:
            _refuse_unknown(namespace.format)
        if namespace.env_file is not None:
            _take_environment(namespace.env_file)
        logs.start(namespace.log_level, namespace.log_file, namespace.foreground)
        url, node = split_uri(namespace.source)
        # The daemon changes its working directory, so relative paths must be resolved first.
        url = absolute(url)
        kept_s = options.ttl_s / STORE_PART
        opener = hierarchy_opener(namespace.format, read_write=options.read_write, missing=namespace.missing)
        with (
            Outcome() as outcome,
            _completed(
                open_store(
                    url,
                    options=store_options(namespace),
                    targets="shared" if options.allow_other else "own",
                    cache_max_age_s=kept_s,
                    branch_max_age_s=kept_s,
                    all_versions=True,
                ),
                outcome,
            ) as store,
        ):
            if options.read_write:
                writable(store)
            Mount(part_of(store, node), opener, options, outcome).run(ready)

    return serve


@contextlib.contextmanager
def _completed(store: ReadableStore, outcome: Outcome) -> Iterator[ReadableStore]:
    """The store, which is closed at the end; a failure to close it is logged and reported to ``zarrscope umount``."""
    try:
        yield store
    finally:
        outcome.completing()
        try:
            store.close()
        except Exception as error:
            from zarrcore.errors import ZarrError

            known = isinstance(error, ZarrError)
            logging.getLogger(__name__).critical(
                "%s could not be completed: %s", store.url, error, exc_info=None if known else error
            )
            raise


def _take_environment(path: str) -> None:
    """Add a file's lines ``NAME=VALUE`` to the environment. Messages never quote its text, since it holds secrets."""
    from zarrfs.mount.mountpoints import MountError

    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.strip() for line in file]
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it is not a text file"
        raise MountError(f"cannot mount: {path} cannot be read: {reason.lower()}") from None
    for number, line in enumerate(lines, start=1):
        name, equals, value = line.partition("=")
        if line and not line.startswith("#"):
            if not equals or not name.isidentifier() or "\0" in value:
                raise MountError(f"cannot mount: line {number} of {path} is not NAME=VALUE")
            is_quoted = len(value) > 1 and value[0] in "'\"" and value[0] == value[-1]
            os.environ[name] = value[1:-1] if is_quoted else value


def _refuse_unknown(format_name: str) -> None:
    from zarrcore.errors import UnsupportedError
    from zarrcore.formats import format_named
    from zarrfs.mount.mountpoints import MountError

    try:
        format_named(format_name)
    except UnsupportedError as error:
        raise MountError(f"cannot mount: {error}") from error


def _umount(namespace: argparse.Namespace) -> int:
    from zarrfs.mount.mountpoints import MountError
    from zarrfs.mount.umount import umount

    failed: list[MountError] = []
    for mountpoint in namespace.mountpoints:
        try:
            umount(mountpoint, namespace.lazy)
        except MountError as error:
            failed.append(error)
    if failed:
        raise MountError("; ".join(map(str, failed)))
    return 0
