"""Data written into an array's bytes that is not in its chunks yet.

The bytes are in an unnamed file, at the same offsets as in the array, so that most of the file is a hole. Storing them
stores each chunk that they touch once, without reading chunks that they cover in full.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import product
from threading import Lock
from typing import Any, Final

from zarrcore.array import AxisRange, crossings
from zarrcore.filetypes import RawFile, boxes
from zarrcore.hierarchy import ArrayNode
from zarrcore.threads import ThreadPool
from zarrcore.typing import AnyArray
from zarrfs.trees.errors import WouldBlockError
from zarrfs.trees.writing.unnamed_file import UnnamedFile

_THREADS_MAX: Final = 8
_ROW_MAX: Final = 64 << 20
"""The largest part of a row of chunks that is read at once, in bytes."""
_STRETCHES_MAX: Final = 50_000
_HELD_MAX: Final = 1 << 30
"""The largest number of bytes that wait on disk; they are stored before more is accepted."""

Index = tuple[int, ...]
Region = tuple[slice, ...]


class Stretches:
    """Disjoint ranges of bytes that were written.

    >>> stretches = Stretches()
    >>> for start, stop in ((0, 4), (10, 12), (4, 6), (11, 15)):
    ...     stretches.add(start, stop)
    >>> list(stretches.within(0, 20)), stretches.nbytes
    ([(0, 6), (10, 15)], 11)
    """

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._stops: list[int] = []
        self.nbytes = 0

    def __len__(self) -> int:
        return len(self._starts)

    def add(self, start: int, stop: int) -> None:
        """Add a range, which may overlap or touch others."""
        first, last = bisect_left(self._stops, start), bisect_right(self._starts, stop)
        if first < last:
            start, stop = min(start, self._starts[first]), max(stop, self._stops[last - 1])
            self.nbytes -= sum(self._stops[first:last]) - sum(self._starts[first:last])
        self._starts[first:last], self._stops[first:last] = [start], [stop]
        self.nbytes += stop - start

    def within(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        """Their parts within a range, in order."""
        for place in range(bisect_right(self._stops, start), bisect_left(self._starts, stop)):
            yield max(start, self._starts[place]), min(stop, self._stops[place])


class ArrayEdits:
    """Written bytes of an array, C order, little-endian, over the stored ones. Thread-safe.

    Args:
        array: the array.
        check: raises an error if the array must not be written any more; called before anything is stored.
        changed: called after each write, before `write` returns.

    Attributes:
        stored: how often something was stored: bytes read meanwhile may be a mix.
    """

    def __init__(
        self,
        array: ArrayNode,
        check: Callable[[ArrayNode], None] = lambda _: None,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        self.array = array
        self._check = check
        self._changed = changed
        self.stored = 0
        self._stretches = Stretches()
        self._file: UnnamedFile | None = None
        self._lock = Lock()

    def __bool__(self) -> bool:
        return bool(self._stretches)

    def write(self, offset: int, content: bytes, wait: bool) -> None:
        """Write bytes at an offset, all of them within the array.

        Raises:
            WouldBlockError: the call would have to wait, and ``wait`` is False.
            StoreFullError: there is no room for them.
            As `Array.read`, if they begin or end within an element.
            As `store`, if many bytes are already waiting.
        """
        if not self._lock.acquire(blocking=wait):
            raise WouldBlockError
        try:
            if self._stretches.nbytes > _HELD_MAX or len(self._stretches) > _STRETCHES_MAX:
                _need(wait)
                self._store()
            size, stop = self.array.itemsize, offset + len(content)
            for edge in {offset, stop}:
                if edge % size:
                    self._complete(edge // size * size, wait)
            self._put(offset, content)
            self._stretches.add(offset // size * size, -(-stop // size) * size)
        finally:
            self._changed()
            self._lock.release()

    def _complete(self, start: int, wait: bool) -> None:
        """Fetch an element before some of its bytes are written."""
        stop = start + self.array.itemsize
        if next(self._stretches.within(start, stop), None) is None:
            _need(wait)
            self._put(start, bytes(RawFile(self.array).read(start, stop - start)))
            self._stretches.add(start, stop)

    def _put(self, offset: int, content: bytes) -> None:
        self._opened().write(offset, content)

    def _opened(self) -> UnnamedFile:
        if self._file is None:
            file = UnnamedFile()
            try:
                file.resize(self.array.nbytes)
            except BaseException:
                file.close()
                raise
            self._file = file
        return self._file

    def overlay(self, offset: int, buffer: memoryview) -> None:
        """Copy the written bytes over stored bytes of the array."""
        with self._lock:
            for start, stop in self._stretches.within(offset, offset + len(buffer)):
                self._opened().read_into(start, buffer[start - offset : stop - offset])

    def store(self) -> None:
        """Store everything written. Data that cannot be stored is kept, and tried again the next time.

        Raises:
            ChangedError: the array was replaced by another one.
            As `Array.write`.
        """
        with self._lock:
            self._store()

    def _store(self) -> None:
        if not self._stretches:
            return
        self._check(self.array)
        self._store_chunks()
        self._stretches = Stretches()
        self._opened().resize(0)
        self._opened().resize(self.array.nbytes)
        self.stored += 1

    def _store_chunks(self) -> None:
        with ThreadPool(min(_THREADS_MAX, self.array.store.requests_in_flight)) as threads:
            for row in self._rows():
                edited = self._of_row(row)
                for done in [threads.submit(self._store_chunk, edited, *chunk) for chunk in row.items()]:
                    done.result()

    def _of_row(self, row: dict[Index, list[Region]]) -> Callable[[Region], AnyArray]:
        """A function that returns the elements of a region of a row of chunks; all are read at once if the regions are dense."""
        regions = [region for written in row.values() for region in written]
        hull = _hull(regions)
        volume = _volume(hull)
        if volume * self.array.itemsize > _ROW_MAX or volume > 2 * sum(map(_volume, regions)):
            return self._edited
        values = self._edited(hull)

        def edited(region: Region) -> AnyArray:
            place: Any = (*_within(region, hull), ...)
            found: AnyArray = values[place]
            return found

        return edited

    def _rows(self) -> Iterator[dict[Index, list[Region]]]:
        """The written regions of each chunk, row after row of chunks along the first axis."""
        shape, size = self.array.shape, self.array.itemsize
        row: dict[Index, list[Region]] = {}
        for start, stop in self._stretches.within(0, self.array.nbytes):
            for box in boxes(shape, start // size, -(-stop // size)):
                for index, region in self._crossed(box):
                    if row and next(iter(row))[:1] != index[:1]:
                        yield row
                        row = {}
                    row.setdefault(index, []).append(region)
        if row:
            yield row

    def _crossed(self, box: tuple[tuple[int, int], ...]) -> Iterator[tuple[Index, Region]]:
        axes = self.array.metadata.chunk_grid.axes
        crossed = [
            [
                (index, slice(start + taken.start, start + taken.stop))
                for index, _, taken, _ in crossings(AxisRange(start, 1, stop - start), axis)
            ]
            for (start, stop), axis in zip(box, axes, strict=True)
        ]
        for parts in product(*crossed):
            yield tuple(index for index, _ in parts), tuple(region for _, region in parts)

    def _edited(self, region: Region) -> AnyArray:
        return self._opened().read_region(self.array.shape, self.array.dtype, region)

    def _store_chunk(self, edited: Callable[[Region], AnyArray], index: Index, regions: list[Region]) -> None:
        """Store the written regions of one chunk, and the elements between them."""
        array = self.array
        hull = _hull(regions)
        if sum(map(_volume, regions)) == _volume(hull):
            array.write(hull, edited(hull))
            return
        # Not from the cache: another process may have written the rest meanwhile.
        array.forget_chunk(array.chunk_key(index))
        values = array.read(hull)
        for region in regions:
            values[_within(region, hull) or ...] = edited(region)
        array.write(hull, values)

    def close(self) -> None:
        """Release the file; data that is not stored is lost."""
        with self._lock:
            self._stretches = Stretches()
            if self._file is not None:
                self._file.close()
                self._file = None


def _need(wait: bool) -> None:
    if not wait:
        raise WouldBlockError


def _hull(regions: list[Region]) -> Region:
    """The smallest region that contains all of ``regions``."""
    return tuple(
        slice(min(part.start for part in axis), max(part.stop for part in axis))
        for axis in zip(*regions, strict=True)
    )


def _within(region: Region, whole: Region) -> Region:
    """A region relative to a larger one."""
    return tuple(
        slice(part.start - larger.start, part.stop - larger.start)
        for part, larger in zip(region, whole, strict=True)
    )


def _volume(region: Region) -> int:
    return math.prod(part.stop - part.start for part in region)
