"""The positions of arrays in an open file, for read-ahead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Protocol


class ElementLayout(Protocol):
    """The positions of the arrays in a file. `zarrcore.filetypes.VirtualFile` implements it."""

    @property
    def holds_many(self) -> bool:
        """Whether there are many arrays, or many parts of one, and readers want only some."""

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        """The array at an offset: start and end of its elements, bytes of a plane, bytes of a slab.

        A slab is a row of chunks, best fetched as a whole; 0 if there is none.
        """


@dataclass(frozen=True, slots=True)
class OneRun:
    """The layout of a file without structure: one run of bytes."""

    size: int
    holds_many: ClassVar[bool] = False

    def array_at(self, offset: int) -> tuple[int, int, int, int]:
        """Like `ElementLayout.array_at`."""
        return 0, self.size, 0, 0
