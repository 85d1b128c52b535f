"""Virtual files: arrays as files of known size, readable at any offset without making the rest."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import BinaryIO, ClassVar

from zarrcore.array import Array, ChunkCache, Selection
from zarrcore.errors import SelectionError, UnsupportedError
from zarrcore.filetypes.body import ArrayBody
from zarrcore.filetypes.plan import BytesPlan, KnownBytes, joined

_PIECE_NBYTES = 64 << 20
_SMALL_PIECE_NBYTES = 4 << 20
_WRITE_CACHE_NBYTES = 256 << 20
# No system supports larger offsets.
MAX_NBYTES = (1 << 63) - 1


class VirtualFile(ABC):
    """A file whose parts are made when they are read.

    Attributes:
        suffix: the file name's ending, without the dot.
        size: bytes of the whole file, computed without reading a chunk.
    """

    suffix: ClassVar[str]
    holds_many: ClassVar[bool] = False
    """Whether it holds many arrays, or many parts of one, and readers want only some."""
    size: int

    @property
    def version(self) -> str:
        """A text that changes with the metadata that determine the elements and their decoding."""
        return ""

    def left_out(self) -> tuple[str, ...]:
        """What the file does not hold, each with the reason.

        Raises:
            StoreError: the store failed.
        """
        return ()

    @abstractmethod
    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        """A plan to read at most ``nbytes`` bytes from ``offset``; fewer only at the end of the file.

        Raises:
            SelectionError: a negative offset.
        """

    def readinto(self, offset: int, buffer: memoryview) -> int:
        """Copy bytes from ``offset`` into ``buffer``; returns how many, fewer only at the end of the file.

        Raises:
            SelectionError: a negative offset.
            As `Array.read`.
        """
        plan = self.plan(offset, len(buffer))
        plan.read_into(buffer[: plan.nbytes])
        return plan.nbytes

    def read(self, offset: int, nbytes: int) -> memoryview:
        """At most ``nbytes`` bytes from ``offset``; fewer only at the end of the file.

        Raises:
            As `readinto`.
        """
        plan = self.plan(offset, nbytes)
        buffer = memoryview(bytearray(plan.nbytes))
        plan.read_into(buffer)
        return buffer

    def prefetch(self, offset: int, nbytes: int) -> None:
        """Decode the chunks of a range of bytes into the array's chunk cache; returns when this is done.

        Raises:
            As `readinto`.
        """
        self.plan(offset, nbytes).prefetch()

    def cached(self, offset: int, nbytes: int) -> bool:
        """Whether reading a range of bytes costs no I/O and no decoding."""
        return self.plan(offset, nbytes).is_ready()

    def _clipped(self, offset: int, nbytes: int) -> int:
        """The end of a range of bytes, limited by the end of the file.

        Raises:
            SelectionError: a negative offset.
        """
        if offset < 0:
            raise SelectionError(f"a file has no bytes at offset {offset}")
        return max(offset, min(self.size, offset + nbytes))

    @property
    def slabs(self) -> tuple[int, int]:
        """The offset of the elements, and the bytes of a row of chunks, 0 without rows. Reading whole rows is fastest."""
        return 0, 0

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        """The array at an offset: start and end of its elements, bytes of a plane, bytes of a slab.

        A plane has one index along the first dimension; 0 if a plane is not shorter than a slab.
        """
        begin, slab = self.slabs
        return begin, self.size, 0, slab

    def write_to(self, stream: BinaryIO, progress: Callable[[int], None] | None = None) -> None:
        """Write the whole file; ``progress`` is called with the bytes of each piece.

        Raises:
            OSError: the stream cannot be written.
            As `Array.read`.
        """
        for offset in range(0, self.size, _SMALL_PIECE_NBYTES):
            part = self.read(offset, _SMALL_PIECE_NBYTES)
            stream.write(part)
            if progress is not None:
                progress(len(part))


class ArrayFile(VirtualFile):
    """``array[selection]`` as a file; its size is computed from metadata.

    Raises:
        SelectionError: the selection is invalid or outside the array.
        UnsupportedError: the file type cannot hold it.
    """

    def __init__(self, array: Array, selection: Selection = ...) -> None:
        if array.data_type.is_variable_length:
            raise UnsupportedError(
                "data type",
                array.data_type.name,
                f"has elements of variable length, which {self.suffix} files cannot hold",
            )
        self.array = array
        self.body = ArrayBody(array, selection)

    @property
    def version(self) -> str:
        return self.array.version

    def write_to(self, stream: BinaryIO, progress: Callable[[int], None] | None = None) -> None:
        """Like `VirtualFile.write_to`, one row of chunks after another."""
        source = self
        if self.array.chunk_cache is None:
            # If a row of chunks is larger than a piece, the next piece needs its chunks again.
            source = self._with_array(self.array.with_chunk_cache(ChunkCache(_WRITE_CACHE_NBYTES)))
        begin, row = self.slabs
        most = self.array.most_nbytes
        piece = min(_PIECE_NBYTES, most)
        if 0 < row <= min(_WRITE_CACHE_NBYTES, most):
            piece = row * max(1, piece // row)
        offset = 0
        while offset < self.size:
            part = source.read(offset, piece if offset else begin + piece)
            stream.write(part)
            offset += len(part)
            if progress is not None:
                progress(len(part))

    @abstractmethod
    def _with_array(self, array: Array) -> ArrayFile:
        """The same file for the same elements of ``array``."""


class HeaderAndBody(ArrayFile):
    """A file of a header, the elements, and optionally a trailer, which is made when it is read.

    Attributes:
        header: the bytes before the elements.
    """

    def __init__(self, array: Array, selection: Selection = ...) -> None:
        super().__init__(array, selection)
        self._selection = selection
        self.header = self._make_header()
        self.size = len(self.header) + self.body.nbytes + self._trailer_nbytes()
        if self.size > MAX_NBYTES:
            raise UnsupportedError("shape", str(self.body.shape), "is too large for a file: select a part")

    @abstractmethod
    def _make_header(self) -> bytes:
        """The header for the body's shape and type."""

    def _trailer_nbytes(self) -> int:
        """The number of bytes after the elements."""
        return 0

    def _trailer(self, start: int, stop: int) -> bytes | memoryview:
        """A part of the trailer."""
        return b""

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        stop = self._clipped(offset, nbytes)
        begin = len(self.header)
        end = begin + self.body.nbytes
        if begin <= offset < stop <= end:
            return self.body.plan(offset - begin, stop - offset)
        parts: list[BytesPlan] = []
        if offset < begin:
            parts.append(KnownBytes(self.header[offset:stop]))
        first, last = max(offset, begin), min(stop, end)
        if first < last:
            parts.append(self.body.plan(first - begin, last - first))
        if stop > end:
            parts.append(KnownBytes(self._trailer(max(offset, end) - end, stop - end)))
        return joined(parts)

    @property
    def slabs(self) -> tuple[int, int]:
        return len(self.header), self.body.slab_nbytes

    def _with_array(self, array: Array) -> ArrayFile:
        return type(self)(array, self._selection)
