"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO


@contextmanager
def whole_or_nothing(path: str) -> Iterator[BinaryIO]:
    """A stream whose bytes replace the file at ``path`` when the block ends; if it fails, the old file stays.

    Raises:
        OSError: the file cannot be written there.
    """
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe cannot be replaced
        with open(path, "wb") as stream:
            yield stream
        return
    path = os.path.realpath(path)  # follow a link, as a shell's > does
    try:
        descriptor, temporary = tempfile.mkstemp(dir=os.path.dirname(path), prefix=".zarrscope-")
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    try:
        with os.fdopen(descriptor, "wb") as whole:
            yield whole
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(temporary, 0o666 & ~mask)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
