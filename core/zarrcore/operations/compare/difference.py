"""What a comparison looks at, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from zarrcore.operations.compare.equality import Tolerance

What = Literal[
    "only-in-a",
    "only-in-b",
    "kind",
    "shape",
    "data-type",
    "dimension-names",
    "attributes",
    "fill-value",
    "chunks",
    "shards",
    "codecs",
    "elements",
    "trouble",
]

Progress = Callable[[str, int, int], None]
"""Called with an array's path, the bytes compared, and the bytes of that array."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is compared."""

    elements: bool = True
    """Compare the elements of arrays, not only metadata."""
    layout: bool = False
    """Compare the shapes of chunks and shards, and the codecs."""
    tolerance: Tolerance = field(default_factory=Tolerance)
    """Which elements are equal."""
    examples: int = 3
    """How many differing elements of an array are named."""


@dataclass(frozen=True, slots=True)
class ElementExample:
    """One element that differs."""

    index: tuple[int, ...]
    """Where it is."""
    a: str
    """Its value in A, as text."""
    b: str
    """Its value in B."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference between A and B, or a node that could not be compared."""

    what: What
    """What differs; ``trouble`` if it is not known because a node cannot be read."""
    path: str
    """The node, relative to the two that are compared."""
    sentence: str
    """The difference, for people."""
    a: Any = None
    """The value in A, as JSON; None for elements, and for nodes that only B has."""
    b: Any = None
    """The value in B."""
    count: int | None = None
    """How many elements differ."""
    size: int | None = None
    """How many elements were compared."""
    largest: float | None = None
    """The largest absolute difference of two numbers; None if it is not a finite number."""
    examples: tuple[ElementExample, ...] = ()
    """The first elements that differ, in C order."""

    def document(self) -> dict[str, Any]:
        """The difference as JSON, without members that do not apply."""
        told = asdict(self)
        if self.what != "elements":
            for member in ("count", "size", "largest", "examples"):
                del told[member]
        else:
            del told["a"], told["b"]
        return told
