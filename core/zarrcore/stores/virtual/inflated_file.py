"""The content of a file that is compressed as a whole: inflated in order, and again from the nearest checkpoint.

A stream can only be read from its beginning. Copies of its state, taken at intervals, are further points to begin at: ISA-L,
which is faster than zlib, cannot copy its state; nor can bzip2, which starts again. Sizes and checksums are checked when the
ends of streams are reached.
"""

from __future__ import annotations

import threading
import zlib
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, NamedTuple

from zarrcore.errors import BodyTooLargeError, BrokenBodyError, ChangedError, StoreError
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore, StoreStat
from zarrcore.stores.virtual.one_version import check_version
from zarrcore.stores.virtual.sequential_streams import GZIP_FORM, StreamForm

GZIP: Final = GZIP_FORM.start
_FED_NBYTES: Final = 32 << 10
_STEP_NBYTES: Final = 1 << 20
_RECENT_NBYTES: Final = 32 << 20
_FIRST_BLOCK: Final = 256 << 10
_LARGEST_BLOCK: Final = 4 << 20
_INTERVAL_NBYTES: Final = 8 << 20
_CHECKPOINTS_MAX: Final = 256


class _Checkpoint(NamedTuple):
    """A point where inflating can begin."""

    position: int
    """In the content."""
    at: int
    """In the file."""
    stream: Any
    """The state of the stream, which is copied before use."""


class InflatedFile(ReadableStore):
    """A store with one value: the content of a file that is compressed as a whole. Thread-safe.

    It needs up to some 60 MiB of memory, whatever the size.

    Args:
        source: the store of the file; not closed with this store.
        key: the file's key there, and the key of its content here.
        url: the URL to show.
        start: the position of the stream in the file.
        form: how it is compressed.

    >>> import gzip
    >>> from zarrcore.stores.memory import MemoryStore
    >>> file = InflatedFile(MemoryStore(values={"a.gz": gzip.compress(b"0123456789")}), "a.gz", "a.gz")
    >>> file.get("a.gz", ByteRange(2, 5))
    b'234'
    """

    requests_in_flight = 1

    def __init__(
        self, source: ReadableStore, key: str, url: str, start: int = 0, form: StreamForm = GZIP_FORM
    ) -> None:
        self.source = source
        self.key = key
        self.url = url
        self.form = form
        self.is_remote = source.is_remote
        self._lock = threading.Lock()
        self._first = _Checkpoint(0, start, form.make())
        self._forget()

    def _forget(self) -> None:
        self._facts: StoreStat | None = None
        self._version: str | None = None
        self._interval = _INTERVAL_NBYTES
        self._checkpoints = [self._first]
        self._begin(self._first)

    def _begin(self, checkpoint: _Checkpoint) -> None:
        self._position, self._at = checkpoint.position, checkpoint.at
        self._stream = checkpoint.stream.copy()
        self._is_at_end = False
        self._block = memoryview(b"")
        self._recent: deque[tuple[int, bytes]] = deque()
        self._recent_nbytes = 0

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        if key != self.key:
            return None
        start, stop = byte_range or ByteRange(0)
        with self._lock:
            if start < 0 or stop is None:
                start, stop = (byte_range or ByteRange(0)).resolve(self._size())
            if max_nbytes is not None and stop - start > max_nbytes:
                raise BodyTooLargeError(stop - start, max_nbytes, key=key, url=self.url)
            return self._read(start, stop) if stop > start else b""

    def stat(self, key: str) -> StoreStat | None:
        if key != self.key:
            return None
        with self._lock:
            return StoreStat(self._size())

    def _size(self) -> int:
        while not self._is_at_end:
            self._inflate()
        return self._position

    def _read(self, start: int, stop: int) -> bytes:
        self._go_to(start)
        found = bytearray()
        for first, piece in chain(tuple(self._recent), self._inflated_to(stop)):
            found += piece[max(0, start - first) : max(0, stop - first)]
        return bytes(found)

    def _inflated_to(self, stop: int) -> Iterator[tuple[int, bytes]]:
        """Pieces of the content from here to ``stop``, and one byte more: so the end is seen, and what it states is checked."""
        while self._position <= stop and not self._is_at_end:
            yield self._inflate()

    def _go_to(self, start: int) -> None:
        """Begin at the nearest checkpoint before ``start``, unless the content from there on is near or in memory."""
        first = self._recent[0][0] if self._recent else self._position
        nearest = max(
            (each for each in self._checkpoints if each.position <= start), key=lambda each: each.position
        )
        if start < first or nearest.position > self._position:
            self._begin(nearest)

    def _inflate(self) -> tuple[int, bytes]:
        """The next piece of the content, empty at its end, and its position."""
        try:
            piece = self._next_piece()
        except zlib.error as error:
            raise self._broken(f"is broken after {self._position:,} bytes ({error})") from error
        position = self._position
        self._position += len(piece)
        self._recent.append((position, piece))
        self._recent_nbytes += len(piece)
        while self._recent_nbytes > _RECENT_NBYTES:
            self._recent_nbytes -= len(self._recent.popleft()[1])
        if self._position - self._checkpoints[-1].position >= self._interval:
            self._add_checkpoint()
        return position, piece

    def _next_piece(self) -> bytes:
        while True:
            if len(self._block) <= len(self.form.start):
                self._fetch()
            if self._stream.eof:
                # Another member may follow; anything else, such as zeros, is padding.
                start = self.form.start
                if not start or bytes(self._block[: len(start)]) != start:
                    self._is_at_end = True
                    return b""
                self._stream = self.form.make()
            fed = self._block[:_FED_NBYTES]
            piece: bytes = self._stream.decompress(fed, _STEP_NBYTES)
            rest = self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail
            used = len(fed) - len(rest)
            # Data that were given before may remain after the end.
            after = self._block[len(fed) :]
            self._block = self._block[used:] if used >= 0 else memoryview(bytes(rest) + bytes(after))
            self._at += used
            if piece:
                return piece
            if not fed and not rest and not self._stream.eof:
                raise self._broken(f"breaks off after {self._position:,} bytes")

    def _fetch(self) -> None:
        """Read the next block of the file; larger ones the further the reader has come."""
        start = self._at + len(self._block)
        if self._facts is not None and start >= self._facts.size:
            return
        nbytes = min(max(_FIRST_BLOCK, self._at), _LARGEST_BLOCK)
        found = self.source.get_with_stat(self.key, ByteRange(start, start + nbytes), max_nbytes=nbytes)
        if found is None:
            raise StoreError(f"{self.url} does not exist", key=self.key, url=self.source.url)
        value, facts = found
        if self._facts is not None:
            try:
                check_version(self._version, facts, self.url, self.key)
            except ChangedError:
                self._forget()
                raise
        else:
            self._version = facts.lasting_version
        self._facts = facts
        self._block = memoryview(bytes(self._block) + bytes(value))

    def _add_checkpoint(self) -> None:
        if self._stream.eof or not self.form.has_copies:
            return
        self._checkpoints.append(_Checkpoint(self._position, self._at, self._stream.copy()))
        if len(self._checkpoints) > _CHECKPOINTS_MAX:
            del self._checkpoints[1::2]
            self._interval *= 2

    def _broken(self, why: str) -> BrokenBodyError:
        self._forget()
        sentence = f"{self.url} cannot be read: its {self.form.title} {why}"
        return BrokenBodyError(sentence, key=self.key, url=self.source.url)
