"""A read or a write that the engine executes."""

from __future__ import annotations

import ctypes
import math
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.native.library import Engine
from zarrcore.native.structures import FILLED, NativeAxis, NativeCodec, NativeJob
from zarrcore.typing import AnyArray


@dataclass(frozen=True, slots=True)
class JobAxis:
    """One dimension of a job."""

    chunk_length: int
    """Elements."""
    chunk_stride: int
    """Bytes between two elements of a decoded chunk."""
    crossings: NDArray[np.int64]
    """Per crossed chunk: its index; first element, number of elements and step in it; place of the first in the array."""


class Job:
    """Units to read or to write. Any number of threads may execute parts of it.

    Args:
        engine: executes it.
        array: takes the elements, or has them; any strides.
        axes: its dimensions.
        codecs: of bytes, in the order of encoding.
        swap_nbytes: size of the numbers whose bytes are reversed; 0 if none are.
        max_encoded_nbytes: the largest size of an encoded unit.
        decodes_whole: decode units as a whole, even if less is wanted.
        is_listed: the n-th unit has the n-th crossing of each axis; else units are the product of the crossings, in C order.
        arrays: one for each unit, of the same shape and strides, the first of which is ``array``; None if that is for all.
        fill: an element, with whose value missing units are read; None if they are not.

    Attributes:
        count: the number of units.
        stored: how many of them there may be to read. `run` counts only these.
        absent: the units that are known to be missing.
    """

    def __init__(
        self,
        engine: Engine,
        array: AnyArray,
        axes: Sequence[JobAxis],
        codecs: Sequence[NativeCodec],
        swap_nbytes: int,
        max_encoded_nbytes: int,
        decodes_whole: bool = False,
        is_listed: bool = False,
        arrays: Sequence[AnyArray] | None = None,
        fill: bytes | None = None,
    ) -> None:
        self._engine = engine
        self._kept: list[Any] = [array, *axes]
        self._axes = (NativeAxis * len(axes))(
            *(
                NativeAxis(
                    axis.chunk_length,
                    axis.chunk_stride,
                    length,
                    stride,
                    len(axis.crossings),
                    axis.crossings.ctypes.data,
                )
                for axis, length, stride in zip(axes, array.shape, array.strides, strict=True)
            )
        )
        self._codecs = (NativeCodec * len(codecs))(*codecs)
        counts = [len(axis.crossings) for axis in axes]
        self.count = counts[0] if is_listed else math.prod(counts)
        low, high = np.lib.array_utils.byte_bounds(array)
        self._job = NativeJob(
            ndim=len(axes),
            itemsize=array.dtype.itemsize,
            ncodecs=len(codecs),
            swap_nbytes=swap_nbytes,
            axes=ctypes.addressof(self._axes),
            codecs=ctypes.addressof(self._codecs),
            array=array.ctypes.data,
            memory=low,
            memory_end=high,
            nunits=self.count,
            is_listed=is_listed,
            max_encoded_nbytes=max_encoded_nbytes,
            decodes_whole=decodes_whole,
            fill=fill,
        )
        self._fills = fill is not None
        self._is_current: Callable[[], bool] = lambda: False
        if arrays is not None:
            addresses = np.array([one.ctypes.data for one in arrays], np.uintp)
            self._job.arrays = addresses.ctypes.data
            self._kept += [arrays, addresses]
        self._address = ctypes.addressof(self._job)
        self._order: NDArray[np.uint32] | None = None
        self.stored, self.absent = self.count, list[int]()
        self.statuses = np.zeros(self.count, np.int32)
        self._status_address = self.statuses.ctypes.data

    def use_files(
        self,
        directory: Any,
        follows_links: bool,
        lead: str,
        separator: str,
        is_reversed: bool,
        is_current: Callable[[], bool] | None = None,
    ) -> bool:
        """Let each unit be the file of its index beneath an open directory. False if the engine cannot execute the job.

        Args:
            directory: has a ``descriptor``, which stays open as long as the object lives.
            follows_links: links may lead out of the directory.
            lead: what comes before the index.
            separator: between the numbers of the index.
            is_reversed: the last dimension comes first.
            is_current: whether the directory is still the one that it was opened as. Otherwise no file counts as missing in it.
        """
        self._kept.append(directory)
        self._is_current = is_current or self._is_current
        self._job.root = directory.descriptor
        self._job.follows_links = follows_links
        self._job.lead = os.fsencode(lead)
        self._job.separator = separator.encode()
        self._job.is_reversed = is_reversed
        return self._engine.accepts(self._address)

    def read_parts(
        self,
        directory: Any,
        follows_links: bool,
        name: str,
        parts: NDArray[np.uint64],
        version: tuple[int, int, int],
    ) -> bool:
        """Let each unit be a part of one file beneath an open directory. False if the engine cannot execute the job.

        Args:
            directory: has a ``descriptor``, which stays open as long as the object lives.
            follows_links: links may lead out of the directory.
            name: the file.
            parts: per unit, its offset and size; the largest numbers if it is missing.
            version: the file's time of change in ns, size and inode number; it must not differ.
        """
        is_absent = (parts == np.iinfo(parts.dtype).max).all(axis=1) & (not self._fills)
        order = np.lexsort((parts[:, 0], is_absent)).astype(np.uint32)
        self.stored -= int(np.count_nonzero(is_absent))
        self.absent = order[self.stored :].tolist()
        self._kept += [directory, parts, order]
        self._job.root = directory.descriptor
        self._job.follows_links = follows_links
        self._job.lead = os.fsencode(name)
        self._job.parts, self._job.order = parts.ctypes.data, order.ctypes.data
        self._job.mtime_ns, self._job.file_nbytes, self._job.inode = version
        self._order = order
        return self._engine.accepts(self._address)

    def read_memory(self, encoded: memoryview, parts: NDArray[np.uint64]) -> bool:
        """Let each unit be a part of some bytes, which do not change. False if the engine cannot execute the job.

        Args:
            encoded: the bytes.
            parts: per unit, its offset and size.
        """
        memory = np.frombuffer(encoded, np.uint8)
        self._kept += [memory, parts]
        self._job.bytes, self._job.file_nbytes = memory.ctypes.data, len(memory)
        self._job.lead, self._job.parts = b"", parts.ctypes.data
        return self._engine.accepts(self._address)

    def read_points(self, gathered: AnyArray, offsets: NDArray[np.int64], bounds: NDArray[np.int64]) -> None:
        """Read single elements of listed units. Call it before the method that says where the units are.

        Args:
            gathered: takes them one after the other; one dimension, without gaps.
            offsets: of each element in its decoded unit, in bytes, within the unit's crossings.
            bounds: where the elements of each unit begin, and where the last ones end.
        """
        self._kept += [gathered, offsets, bounds]
        self._job.array, (self._job.memory, self._job.memory_end) = (
            gathered.ctypes.data,
            np.lib.array_utils.byte_bounds(gathered),
        )
        self._job.points, self._job.first_points = offsets.ctypes.data, bounds.ctypes.data
        self._job.npoints = len(offsets)

    def write_elements(self, fill: bytes, stores_empty: bool) -> None:
        """Let `write` write the units. Call it before `use_files`, which says where they are.

        Args:
            fill: the stored bytes of the fill value.
            stores_empty: chunks that hold only this value are stored, too.
        """
        self._job.fill, self._job.stores_empty = fill, stores_empty

    def write(self, numbers: NDArray[np.uint32]) -> NDArray[np.int32]:
        """Write some of the units. Return the status of each of them."""
        statuses = np.empty(len(numbers), np.int32)
        self._engine.write(self._address, numbers.ctypes.data, len(numbers), statuses.ctypes.data)
        return statuses

    def run(self, first: int, stop: int) -> list[int]:
        """Read some of the units. Return those that were not read, for whatever reason."""
        self._engine.read(self._address, first, stop, self._status_address)
        statuses = self.statuses[first:stop]
        failed = np.flatnonzero(statuses)
        if len(failed) and (statuses == FILLED).any() and self._is_current():
            failed = failed[statuses[failed] != FILLED]
        if not len(failed):
            return []
        numbers = failed + first
        found: list[int] = (numbers if self._order is None else self._order[numbers]).tolist()
        return found
