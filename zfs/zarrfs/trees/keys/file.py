"""Reading one key's value, always of one version."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Final, NoReturn

from zarrcore.errors import ChangedError
from zarrcore.stores import ByteRange, ReadableStore, StoreStat
from zarrfs.trees.element_layout import OneRun
from zarrfs.trees.entry import BytesLike, OpenFile
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.writing.spool import Spool, SpoolMemory

_INLINE_MAX: Final = 1 << 20
"""The largest read from a local file that is done without a worker thread; larger ones would delay other requests."""
_WHOLE_MAX: Final = 1 << 20
"""The largest remote value that the first read fetches whole, in bytes."""
_PIECE: Final = 4 << 20


def version_of(stat: StoreStat) -> str:
    """A text that differs between versions of a value, as far as the store distinguishes them."""
    return stat.etag or f"{stat.mtime_s}:{stat.size}"


class OpenKey(OpenFile):
    """A key's value, open.

    A request for the whole value always gets one version. Parts could belong to different versions: the
    store gives the version with each part, and bytes are never returned unless they are surely of the opened version.

    Args:
        store: the store of the key.
        key: the key.
        stat: the known size and version. Without an etag, the store is asked again before the first part is fetched, since
            listings and stats give times with different precision.
        changed: called when the value differs from ``stat``.
    """

    def __init__(
        self, store: ReadableStore, key: str, stat: StoreStat, changed: Callable[[str], None]
    ) -> None:
        self.size = stat.size
        self.layout = OneRun(stat.size)
        self.version = version_of(stat)
        self._store = store
        self._key = key
        self._baseline = stat if stat.etag is not None else None
        self._changed = changed
        self._whole: BytesLike | None = None
        self._lock = Lock()

    def read(self, offset: int, nbytes: int, wait: bool) -> BytesLike:
        whole = self._whole
        if whole is not None:
            return memoryview(whole)[offset : offset + nbytes]
        if not wait and (self._store.is_remote or nbytes > _INLINE_MAX):
            raise WouldBlockError
        if self._store.is_remote and self.size <= _WHOLE_MAX:
            return memoryview(self._fetch_whole())[offset : offset + nbytes]
        baseline = self.known_version()
        found = self._store.get_with_stat(self._key, ByteRange(offset, offset + nbytes))
        if found is None or version_of(found[1]) != baseline:
            self._fail()
        if len(found[0]) != max(0, min(nbytes, self.size - offset)):
            self._fail()
        return found[0]

    def read_into(self, offset: int, buffer: memoryview) -> BytesLike:
        if not self._store.fills_buffers:
            return self.read(offset, len(buffer), True)
        baseline = self.known_version()
        nbytes = self._store.get_into(self._key, buffer, ByteRange(offset, offset + len(buffer)))
        now = self._store.stat(self._key)
        if nbytes != min(len(buffer), self.size - offset) or now is None or version_of(now) != baseline:
            self._fail()
        return buffer[:nbytes]

    def _fetch_whole(self) -> BytesLike:
        with self._lock:
            if self._whole is None:
                content = self._store.get(self._key)
                if content is None or len(content) != self.size:
                    self._fail()
                self._whole = content
            return self._whole

    def known_version(self) -> str:
        """The version that is open.

        Raises:
            ChangedError: the stored version is not the opened one.
        """
        if self._baseline is None:
            with self._lock:
                stat = self._baseline or self._store.stat(self._key)
            if stat is None or stat.size != self.size:
                self._fail()
            self._baseline = stat
        return version_of(self._baseline)

    def _fail(self) -> NoReturn:
        self._changed(self._key)
        raise ChangedError(
            f"{self._key} in {self._store.url} changed while it was open", key=self._key, url=self._store.url
        )


def fetched(file: OpenKey, memory: SpoolMemory) -> Spool:
    """A copy of an open value.

    Raises:
        As `OpenKey.read`, and `Spool.write`.
    """
    spool = Spool(memory)
    try:
        for offset in range(0, file.size, _PIECE):
            spool.write(offset, file.read(offset, min(_PIECE, file.size - offset), True))
    except BaseException:
        spool.close()
        raise
    return spool
