"""Virtual files as entries of the trees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from zarrcore.filetypes import VirtualFile
from zarrfs.trees.caching import DECODED
from zarrfs.trees.entry import BytesLike, File, OpenFile
from zarrfs.trees.errors import WouldBlockError


class DecodedFile(File):
    """A virtual file. Its size is computed from metadata; no chunk is fetched before it is read.

    Args:
        make: makes the file, always the same one.
        version: like `Entry.version`, of the metadata, and unique to this name. None if its inode number is computed, or if
            it can be written.
        mtime_s: when the document of its array or group was written.
        before_open: called before it is opened.
        size: its size in bytes, if known.
    """

    __slots__ = ("_before_open", "_make", "_version", "mtime_s", "size")

    def __init__(
        self,
        make: Callable[[], VirtualFile],
        version: str | None,
        mtime_s: float | None,
        before_open: Callable[[], None],
        size: int | None = None,
    ) -> None:
        self._make = make
        self._version = version
        self._before_open = before_open
        self.mtime_s = mtime_s
        self.size = make().size if size is None else size

    @property
    def version(self) -> str | None:
        return self._version

    def open(self, wait: bool) -> OpenFile:
        self._before_open()
        opened = OpenDecoded(self._make())
        if self._version is not None:
            # All handles of an inode share its pages: after the metadata have changed, a new handle needs a new inode.
            opened.version, opened.shown = self._version, self
        return opened


class OpenDecoded(OpenFile):
    """A decoded file, open."""

    caching = DECODED

    def __init__(self, file: VirtualFile) -> None:
        self._file = file
        self.size = file.size
        self.layout = file

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        plan = self._file.plan(offset, nbytes)
        if not wait and not plan.is_ready():
            raise WouldBlockError
        # NumPy does not clear this memory, and uses huge pages from 4 MiB on: far fewer page faults.
        buffer = np.empty(plan.nbytes, np.uint8).data
        plan.read_into(buffer)
        return buffer

    def read_into(self, offset: int, buffer: memoryview) -> BytesLike:
        plan = self._file.plan(offset, len(buffer))
        plan.read_into(buffer[: plan.nbytes])
        return buffer[: plan.nbytes]
