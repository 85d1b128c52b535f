"""Tables in files: records that differ only in some numbers, made when they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from zarrcore.filetypes.interface import VirtualFile
from zarrcore.filetypes.plan import BytesPlan, MadeBytes


@dataclass(frozen=True, slots=True)
class Linear:
    """A number that is ``start + step * i`` in the ``i``-th record."""

    start: int
    step: int = 0


class Records(VirtualFile):
    """Records that differ only in some numbers, made when they are read.

    Args:
        template: a record.
        count: the number of records.
        numbers: the numbers that differ, 64 bits each, by their offset in a record.
    """

    suffix = "raw"

    def __init__(self, template: bytes, count: int = 1, numbers: Mapping[int, Linear] | None = None) -> None:
        self._template = np.frombuffer(template, np.uint8)
        self._numbers = numbers or {}
        self.nbytes = len(template)
        self.size = self.nbytes * count

    def plan(self, offset: int, nbytes: int) -> BytesPlan:
        stop = self._clipped(offset, nbytes)
        return MadeBytes(stop - offset, partial(self._make, offset, stop))

    def _make(self, offset: int, stop: int, buffer: memoryview) -> None:
        if offset == stop:
            return
        first, last = offset // self.nbytes, -(-stop // self.nbytes)
        rows = np.tile(self._template, (last - first, 1))
        for at, number in self._numbers.items():
            values = np.uint64(number.start) + np.uint64(number.step) * np.arange(
                first, last, dtype=np.uint64
            )
            rows[:, at : at + 8] = values.astype("<u8").view(np.uint8).reshape(-1, 8)
        skipped = offset - first * self.nbytes
        buffer[:] = rows.reshape(-1)[skipped : skipped + stop - offset].data
