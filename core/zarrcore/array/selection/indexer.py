"""``array.oindex``, ``array.vindex`` and ``array.blocks``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from zarrcore.typing import AnyArray

S = TypeVar("S")


class Indexer(Generic[S]):
    """Reads and writes elements by selections of one kind.

    Args:
        read: returns the elements of a selection as an array.
        write: writes values to a selection.
    """

    __slots__ = ("_read", "_write")

    def __init__(self, read: Callable[[S], AnyArray], write: Callable[[S, Any], None]) -> None:
        self._read = read
        self._write = write

    def __getitem__(self, selection: S) -> Any:
        """The selected elements: an array, or a scalar if an integer selects in every dimension."""
        result = self._read(selection)
        return result if result.ndim else result[()]

    def __setitem__(self, selection: S, value: Any) -> None:
        """Write values that broadcast to the selection's shape."""
        self._write(selection, value)
