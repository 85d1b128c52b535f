"""Plans to read a range of a file's bytes: planned once, checked for readiness, then read."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol

import numpy as np

from zarrcore.typing import AnyArray

Box = tuple[tuple[int, int], ...]


class BytesPlan(ABC):
    """A range of a file's bytes, about to be read.

    Attributes:
        nbytes: the number of bytes.
    """

    __slots__ = ("nbytes",)

    nbytes: int

    def is_ready(self) -> bool:
        """Whether `read_into` costs no I/O and no decoding."""
        return True

    def prefetch(self) -> None:  # noqa: B027 - most bytes that are not elements need nothing
        """Decode the chunks of the bytes into the array's chunk cache.

        Raises:
            As `Array.read`.
        """

    @abstractmethod
    def read_into(self, buffer: memoryview) -> None:
        """Fill ``buffer``, which has exactly `nbytes` bytes.

        Raises:
            As `Array.read`.
        """


class MadeBytes(BytesPlan):
    """Bytes that need no chunk: headers, tables, gaps.

    Args:
        nbytes: the number of bytes.
        fill: writes them to a buffer.
    """

    __slots__ = ("_fill",)

    def __init__(self, nbytes: int, fill: Callable[[memoryview], None]) -> None:
        self.nbytes = nbytes
        self._fill = fill

    def read_into(self, buffer: memoryview) -> None:
        self._fill(buffer)


class KnownBytes(BytesPlan):
    """Bytes that are already in memory."""

    __slots__ = ("_content",)

    def __init__(self, content: bytes | memoryview) -> None:
        self.nbytes = len(content)
        self._content = content

    def read_into(self, buffer: memoryview) -> None:
        buffer[:] = self._content


class JoinedBytes(BytesPlan):
    """Consecutive ranges."""

    __slots__ = ("_parts",)

    def __init__(self, parts: Iterable[BytesPlan]) -> None:
        self._parts = [*parts]
        self.nbytes = sum(part.nbytes for part in self._parts)

    def is_ready(self) -> bool:
        return all(part.is_ready() for part in self._parts)

    def prefetch(self) -> None:
        for part in self._parts:
            part.prefetch()

    def read_into(self, buffer: memoryview) -> None:
        done = 0
        for part in self._parts:
            part.read_into(buffer[done : done + part.nbytes])
            done += part.nbytes


def joined(parts: Iterable[BytesPlan]) -> BytesPlan:
    """Consecutive ranges as one plan."""
    plans = [*parts]
    return plans[0] if len(plans) == 1 else JoinedBytes(plans)


class BoxPlan(Protocol):
    """The elements of one box, about to be read."""

    def is_ready(self) -> bool:
        """Like `BytesPlan.is_ready`."""

    def prefetch(self) -> None:
        """Like `BytesPlan.prefetch`."""

    def read_into(self, out: AnyArray) -> None:
        """Fill ``out``, which has the box's shape."""


class WrappedPlan:
    """The part of a `BoxPlan` that reads through another plan, if there is one; subclasses add `read_into`."""

    __slots__ = ("_plan",)

    def __init__(self, plan: BoxPlan | None) -> None:
        self._plan = plan

    def is_ready(self) -> bool:
        return self._plan is None or self._plan.is_ready()

    def prefetch(self) -> None:
        if self._plan is not None:
            self._plan.prefetch()


class ElementBytes(BytesPlan):
    """Bytes of elements in C order. They may begin and end within an element.

    Args:
        shape: the shape of all elements.
        dtype: the type of each.
        offset: the first byte; all bytes must belong to the elements.
        nbytes: the number of bytes.
        plan_box: plans reading a box of elements.
    """

    __slots__ = ("_boxes", "_dtype", "_size", "_skipped")

    def __init__(
        self,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        offset: int,
        nbytes: int,
        plan_box: Callable[[Box], BoxPlan],
    ) -> None:
        first, self._skipped = divmod(offset, dtype.itemsize)
        last = -(-(offset + nbytes) // dtype.itemsize)
        self.nbytes = nbytes
        self._dtype = dtype
        self._size = last - first
        self._boxes = [
            (tuple([stop - start for start, stop in box]), plan_box(box)) for box in boxes(shape, first, last)
        ]

    def is_ready(self) -> bool:
        return all(plan.is_ready() for _, plan in self._boxes)

    def prefetch(self) -> None:
        for _, plan in self._boxes:
            plan.prefetch()

    def read_into(self, buffer: memoryview) -> None:
        aligned = self.nbytes == self._size * self._dtype.itemsize
        elements = np.frombuffer(buffer, self._dtype) if aligned else np.empty(self._size, self._dtype)
        done = 0
        for lengths, plan in self._boxes:
            count = math.prod(lengths)
            plan.read_into(elements[done : done + count].reshape(lengths))
            done += count
        if not aligned:
            buffer[:] = elements.view(np.uint8).data[self._skipped : self._skipped + self.nbytes]


def boxes(shape: tuple[int, ...], start: int, stop: int) -> Iterator[Box]:
    """The boxes, in order, of elements ``[start, stop)`` of an array of ``shape`` in C order.

    >>> list(boxes((4, 3), 2, 10))
    [((0, 1), (2, 3)), ((1, 3), (0, 3)), ((3, 4), (0, 1))]
    """
    if start >= stop:
        return
    if not shape:
        yield ()
        return
    row = math.prod(shape[1:])
    (first, within), (last, beyond) = divmod(start, row), divmod(stop, row)
    if first == last:
        for box in boxes(shape[1:], within, beyond):
            yield ((first, first + 1), *box)
        return
    if within:
        for box in boxes(shape[1:], within, row):
            yield ((first, first + 1), *box)
        first += 1
    if first < last:
        yield ((first, last), *((0, length) for length in shape[1:]))
    if beyond:
        for box in boxes(shape[1:], 0, beyond):
            yield ((last, last + 1), *box)
