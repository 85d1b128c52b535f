"""Bodies of answers: read piece by piece, so that no server decides how much memory they take, or how long they last."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from zarrcore.stores.connection.failures import Failure, request_errors
from zarrcore.stores.connection.retries import MINIMUM_RATE
from zarrcore.stores.interface import CERTAIN_AGE_S, ByteRange, BytesLike

WHOLE_MAX: Final = 2 << 30
"""Bytes of the largest value that is read at once where the reader sets no bound."""

_AT_ONCE_MAX: Final = 8 << 20
"""Bytes of the largest body that obstore reads in one call at first."""

_EMPTY: Final = np.empty(0, np.uint8)

_LONG: Final = 1.2
"""Timeouts after which it was not silence that ended a body, but the time that obstore lets an answer take."""

_WORTHWHILE: Final = 1 << 20
"""Bytes that make it worthwhile to continue a body that broke off, instead of beginning again."""


class BodyError(Exception):
    """A body that ended early, is too long or came too slowly.

    Attributes:
        kind: of the `Failure`: ``Interrupted``, ``Timeout`` or ``Slow``.
    """

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


class Pace:
    """Whether a body arrives fast enough: `MINIMUM_RATE`, measured over ``timeout_s`` seconds at a time."""

    __slots__ = ("_began_s", "_nbytes", "_timeout_s")

    def __init__(self, timeout_s: float) -> None:
        self._timeout_s = timeout_s
        self._began_s = time.monotonic()
        self._nbytes = 0

    def count(self, nbytes: int) -> None:
        """Note that bytes have arrived.

        Raises:
            BodyError: they were too few.
        """
        self._nbytes += nbytes
        elapsed_s = time.monotonic() - self._began_s
        if elapsed_s >= self._timeout_s:
            if self._nbytes < MINIMUM_RATE * elapsed_s:
                raise BodyError("Slow")
            self._began_s += elapsed_s
            self._nbytes = 0


class Download:
    """One value, or part of it. It may take several answers: a later one continues where the one before broke off.

    obstore's own way to read a body takes all that a server sends; this one takes what the head of the answer announces.

    Args:
        path: of the value, for obstore.
        byte_range: the part; None for all.
        timeout_s: how long the server may be silent, or slow.
        check: called with the head of the first answer; raises an error if its body must not be read.
    """

    def __init__(
        self,
        path: str,
        byte_range: ByteRange | None,
        timeout_s: float,
        check: Callable[[Any], None],
    ) -> None:
        self._path = path
        self._options: Any = {} if byte_range in (None, (0, None)) else {"range": _request_range(byte_range)}
        self._timeout_s = timeout_s
        self._check = check
        self._answer: Any = None
        self._span = (0, 0)
        self._buffer: NDArray[np.uint8] = _EMPTY
        self._at = 0
        self._in_pieces = False

    def run(self, client: Any) -> tuple[BytesLike, Any]:
        """The bytes, and the first answer, whose head has the facts about the value.

        Raises:
            BodyError: the body ended early, is too long or came too slowly.
            Exception: one of obstore's, or of ``check``.
        """
        while True:
            began_s, before = time.monotonic(), self._at
            try:
                return self._read(client), self._answer
            except BodyError as error:
                progress, elapsed_s = self._at - before, time.monotonic() - began_s
                if error.kind != "Interrupted" or not progress:
                    raise
                if progress < _WORTHWHILE and elapsed_s < self._timeout_s:
                    raise

    def _read(self, client: Any) -> BytesLike:
        """The body of one answer, or the rest of it."""
        answer = client.get(self._path, options=self._options)
        if self._answer is None:
            self._check(answer)
            self._answer, self._span = answer, answer.range
        elif answer.range[0] != self._span[0] + self._at or not _same_version(answer.meta, self._answer.meta):
            raise BodyError("Interrupted")  # nothing of it belongs to what has arrived
        size = self._span[1] - self._span[0]
        if not size:
            return b""
        if size <= _AT_ONCE_MAX and not self._in_pieces:
            return self._at_once(answer, size, client)
        pieces = iter(answer.stream(min_chunk_size=0))
        piece = self._next(pieces)
        if not self._at and len(piece) == size:
            return memoryview(piece)
        if not len(self._buffer):
            self._buffer = np.empty(size, np.uint8)  # which takes memory only as it is filled
        pace = Pace(self._timeout_s)
        while self._fill(piece):
            pace.count(len(piece))
            piece = self._next(pieces)
        return self._buffer.data.toreadonly()

    def _at_once(self, answer: Any, size: int, client: Any) -> BytesLike:
        """A body that is not large, in one call of obstore, which is faster than pieces. If it takes long, again in pieces."""
        began_s = time.monotonic()
        try:
            # Of a whole value obstore reads as much as it announces. Of a part it reads all that comes, unless it is streamed.
            is_whole = not self._options
            body = answer.bytes() if is_whole else next(iter(answer.stream(min_chunk_size=size)), b"")
        except request_errors() as error:
            if time.monotonic() - began_s < self._timeout_s * _LONG or Failure.of(error).kind != "Timeout":
                raise
            self._in_pieces, self._answer = True, None
            return self._read(client)
        if len(body) != size:
            raise BodyError("Interrupted")
        return memoryview(body)

    def _next(self, pieces: Iterator[Any]) -> Any:
        began_s = time.monotonic()
        try:
            return next(pieces, b"")
        except request_errors() as error:
            # obstore ends an answer that takes long, too: only silence is a failure then.
            is_silence = time.monotonic() - began_s > self._timeout_s / 2
            raise BodyError(
                "Timeout" if is_silence and Failure.of(error).kind == "Timeout" else "Interrupted"
            ) from None

    def _fill(self, piece: Any) -> bool:
        """Add a piece. Return whether more is missing."""
        stop = self._at + len(piece)
        if not piece or stop > len(self._buffer):
            raise BodyError("Interrupted")
        # NumPy copies without Python's lock.
        self._buffer[self._at : stop] = np.frombuffer(piece, np.uint8)
        self._at = stop
        self._options = {"range": (self._span[0] + stop, self._span[1])}
        return stop < len(self._buffer)


def _request_range(byte_range: ByteRange) -> Any:
    """obstore's form of a range. An empty range becomes one byte, which shows if the value exists."""
    start, stop = byte_range
    if start < 0:
        return {"suffix": -start}
    return {"offset": start} if stop is None else (start, max(stop, start + 1))


def _same_version(facts: Any, before: Any) -> bool:
    """Whether two answers are certainly about the same version of a value: RFC 9110, "Weak versus Strong".

    Without a strong etag, the time of the last change must be so long ago that it cannot stand for two changes.
    """
    if any(facts[name] != before[name] for name in ("e_tag", "last_modified", "size")):
        return False
    if facts["e_tag"] and not facts["e_tag"].startswith("W/"):
        return True
    changed_s: float = facts["last_modified"].timestamp()  # 0 if the server does not state it
    return 0 < changed_s < time.time() - CERTAIN_AGE_S
