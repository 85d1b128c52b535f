"""Records that are alike but for some numbers, of which each record has another: tables in files, made where they are read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from zarrcore.filetypes.interface import VirtualFile, check_offset

_PIECE_NBYTES = 4 << 20


@dataclass(frozen=True, slots=True)
class Linear:
    """A number: ``start + step * i`` in the ``i``-th record."""

    start: int
    step: int = 0


class Records(VirtualFile):
    """Records that are alike but for some numbers, made where they are read.

    Args:
        template: a record.
        count: how many there are.
        numbers: those that differ, 64 bits each, by where they stand in a record.
    """

    suffix = "raw"

    def __init__(self, template: bytes, count: int = 1, numbers: Mapping[int, Linear] | None = None) -> None:
        self._template = np.frombuffer(template, np.uint8)
        self._numbers = numbers or {}
        self.nbytes = len(template)
        self.size = self.nbytes * count

    def readinto(self, offset: int, buffer: memoryview) -> int:
        check_offset(offset)
        stop = min(self.size, offset + len(buffer))
        if offset >= stop:
            return 0
        first, last = offset // self.nbytes, -(-stop // self.nbytes)
        rows = np.tile(self._template, (last - first, 1))
        for at, number in self._numbers.items():
            values = np.uint64(number.start) + np.uint64(number.step) * np.arange(
                first, last, dtype=np.uint64
            )
            rows[:, at : at + 8] = values.astype("<u8").view(np.uint8).reshape(-1, 8)
        skipped = offset - first * self.nbytes
        buffer[: stop - offset] = rows.reshape(-1)[skipped : skipped + stop - offset].data
        return stop - offset

    def cached(self, offset: int, nbytes: int) -> bool:
        return True

    def write_to(self, stream: BinaryIO, progress: Callable[[int], None] | None = None) -> None:
        for offset in range(0, self.size, _PIECE_NBYTES):
            part = self.read(offset, _PIECE_NBYTES)
            stream.write(part)
            if progress is not None:
                progress(len(part))
