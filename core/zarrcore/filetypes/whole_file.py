"""Files that appear whole or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from zarrcore.stores.descriptors import open_flags
from zarrcore.stores.local.atomic_files import NewFile
from zarrcore.system import os


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
    folder, name = os.path.split(path)
    try:
        directory = os.open(folder, open_flags("O_PATH", "O_DIRECTORY", "O_CLOEXEC"))
        try:
            file = NewFile(directory)
        except OSError:
            os.close(directory)
            raise
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    try:
        with file:
            with os.fdopen(os.dup(file.descriptor), "wb") as stream:
                yield stream
            file.put_at(name)
    finally:
        os.close(directory)
