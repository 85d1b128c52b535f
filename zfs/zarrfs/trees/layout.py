"""Where the arrays of an open file lie, for reading ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol


class Layout(Protocol):
    """Where the arrays of a file lie. `zarrcore.filetypes.VirtualFile` is one."""

    @property
    def holds_many(self) -> bool:
        """Whether there are many, or many parts of one, of which readers want some."""

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        """Of the array at an offset: where its elements begin and end, bytes of a plane, bytes of a slab.

        A slab is a row of chunks, best fetched as a whole; 0 where nothing is.
        """


@dataclass(frozen=True, slots=True)
class OneRun:
    """A file whose bytes are one run, of which no part belongs together more than others."""

    size: int
    holds_many: ClassVar[bool] = False

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        """As `Layout.array_at`."""
        return 0, self.size, 0, 0
