"""Forms in which elements can only be read from the beginning: gzip, bzip2, and numbers as text.

RFC 1952; bzip2; Teem, "Definition of NRRD File Format", encoding "ascii".
"""

from __future__ import annotations

import bz2
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Protocol, Self, cast

import numpy as np

_WINDOW_BITS: Final = 31
"""What makes zlib read a stream as gzip's."""
_LONGEST_NUMBER: Final = 512


class Stream(Protocol):
    """Decodes bytes that are given piece by piece. As the objects of `zlib`, whose errors it raises."""

    @property
    def eof(self) -> bool:
        """Whether the end was reached."""

    @property
    def unused_data(self) -> bytes:
        """After the end: bytes that follow it."""

    @property
    def unconsumed_tail(self) -> bytes:
        """Before the end: given bytes that must be given again."""

    def decompress(self, data: bytes | memoryview, max_length: int, /) -> bytes:
        """The next decoded bytes. No data mean that there are no more.

        Raises:
            zlib.error: they are broken.
        """

    def copy(self) -> Self:
        """The same state, to go on from there later."""


@dataclass(frozen=True, slots=True)
class StreamForm:
    """A form of streams."""

    title: str
    """What to call it in a sentence."""
    start: bytes
    """How a stream begins; another one may follow its end. Empty if none can."""
    ratio: int
    """The largest ratio of the content to the stream."""
    make: Callable[[], Stream]
    has_copies: bool = True
    """Whether a stream that has begun can be copied."""


class Bzip2Stream:
    """A stream of bzip2. Its state cannot be copied."""

    def __init__(self) -> None:
        self._stream = bz2.BZ2Decompressor()
        self._kept = b""

    @property
    def eof(self) -> bool:
        return self._stream.eof

    @property
    def unused_data(self) -> bytes:
        return self._stream.unused_data + self._kept

    @property
    def unconsumed_tail(self) -> bytes:
        return self._kept

    def decompress(self, data: bytes | memoryview, max_length: int, /) -> bytes:
        takes = self._stream.needs_input
        self._kept = b"" if takes else bytes(data)
        try:
            return self._stream.decompress(data if takes else b"", max_length)
        except OSError as error:
            raise zlib.error(str(error)) from error

    def copy(self) -> Self:
        return type(self)()


class TextStream:
    """Numbers with white space or commas between them, as the bytes of a data type."""

    unused_data = b""
    unconsumed_tail = b""

    def __init__(self, dtype: np.dtype[Any], rest: bytes = b"", *, eof: bool = False) -> None:
        self._dtype = dtype
        self._rest = rest
        self.eof = eof

    def decompress(self, data: bytes | memoryview, max_length: int, /) -> bytes:
        text = self._rest + bytes(data).replace(b",", b" ")
        self.eof = not data
        words = text.split()
        # The last number may go on in the next data.
        self._rest = b"" if self.eof or not words or text[-1:].isspace() else words.pop()
        if len(self._rest) > _LONGEST_NUMBER:
            raise zlib.error(f"a number has more than {_LONGEST_NUMBER} digits")
        number: Any = float if self._dtype.kind == "f" else int
        try:
            with np.errstate(over="ignore"):
                return np.array([number(word) for word in words], self._dtype).tobytes()
        except (ValueError, OverflowError) as error:
            raise zlib.error(str(error)) from error

    def copy(self) -> Self:
        return type(self)(self._dtype, self._rest, eof=self.eof)


GZIP_FORM: Final = StreamForm(
    "gzip stream", b"\x1f\x8b", 1040, lambda: cast("Stream", zlib.decompressobj(_WINDOW_BITS))
)
BZIP2_FORM: Final = StreamForm("bzip2 stream", b"BZh", 1_200_000, Bzip2Stream, has_copies=False)
"""A block of 900,000 bytes, each of which may be for up to 51, in some 40 bytes."""


def text_form(dtype: np.dtype[Any]) -> StreamForm:
    """Numbers of a data type as text.

    >>> text_form(np.dtype("u1")).make().decompress(b"1 2, 30 4", 100)
    b'\\x01\\x02\\x1e'
    """
    return StreamForm("text", b"", dtype.itemsize, lambda: TextStream(dtype))
