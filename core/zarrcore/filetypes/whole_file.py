"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from typing import BinaryIO, Final

_DESCRIPTORS: Final = "/proc/self/fd"
_PREFIX: Final = ".zarrscope-"


@contextmanager
def whole_or_nothing(path: str) -> Iterator[BinaryIO]:
    """A stream whose bytes replace the file at ``path`` when the block ends; if it fails, the old file stays.

    A process that is killed leaves no other file, where the file system has files without a name.

    Raises:
        OSError: the file cannot be written there.
    """
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe cannot be replaced
        with open(path, "wb") as stream:
            yield stream
        return
    path = os.path.realpath(path)  # follow a link, as a shell's > does
    folder = os.path.dirname(path)
    try:
        descriptor, temporary = _nameless(folder), ""
        if descriptor is None:
            descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=_PREFIX)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    try:
        with os.fdopen(descriptor, "wb") as whole:
            yield whole
            whole.flush()
            temporary = temporary or _named(descriptor, folder)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        if temporary:
            os.unlink(temporary)
        raise


def _nameless(folder: str) -> int | None:
    """A file without a name; None if there cannot be one: network file systems have none."""
    if not hasattr(os, "O_TMPFILE") or not os.path.isdir(_DESCRIPTORS):
        return None
    try:
        return os.open(folder, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError:
        return None


def _named(descriptor: int, folder: str) -> str:
    """Give a file without a name a temporary one, since a link cannot replace a file."""
    name = f"{_PREFIX}{token_hex(8)}"
    # With a descriptor of a folder, Python calls linkat(2), which follows the link in /proc.
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.link(f"{_DESCRIPTORS}/{descriptor}", name, dst_dir_fd=place)
    finally:
        os.close(place)
    return os.path.join(folder, name)
