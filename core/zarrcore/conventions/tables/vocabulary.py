"""Tables, their columns, and sparse matrices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from zarrcore.conventions.interface import Meaning, plural


@dataclass(frozen=True, slots=True)
class Table(Meaning):
    """Columns of one length."""

    kind: ClassVar[str] = "table"

    columns: tuple[str, ...]
    """The names of the columns in order, without the index."""
    index: str
    """The name of the node that holds the names of the rows."""
    length: int | None
    """The number of rows; None if no column could be opened."""

    def details(self) -> list[str]:
        found = [plural(self.length, "row")] if self.length is not None else []
        return [*found, plural(len(self.columns), "column")]

    def facts(self) -> list[tuple[str, str]]:
        return [("columns", ", ".join(self.columns)), ("index", self.index)]


@dataclass(frozen=True, slots=True)
class Column(Meaning):
    """A column that is stored in several arrays."""

    kind: ClassVar[str] = "column"

    values: str
    """What the values are, such as ``categorical`` or ``nullable integer``."""
    length: int
    categories: int | None = None
    """How many categories there are; None if it is not categorical."""
    is_ordered: bool = False
    """Whether the categories have an order."""

    @property
    def summary(self) -> str:
        words = f"{self.convention} {self.values} {self.kind}, {plural(self.length, 'value')}"
        if self.categories is None:
            return words
        count = f"{self.categories:,} {'ordered ' if self.is_ordered else ''}"
        return f"{words} of {count}{'category' if self.categories == 1 else 'categories'}"


@dataclass(frozen=True, slots=True)
class SparseMatrix(Meaning):
    """A matrix of which only some elements are stored."""

    kind: ClassVar[str] = "sparse matrix"

    layout: str
    """``csr``: the elements of each row are stored together; ``csc``: those of each column."""
    shape: tuple[int, int]
    dtype: str
    stored: int
    """The number of stored elements; all others are 0."""

    def details(self) -> list[str]:
        rows, columns = self.shape
        size = rows * columns
        share = f" ({100 * self.stored / size:.3g} %)" if size else ""
        return [
            f"{rows:,} × {columns:,} {self.dtype}",
            f"{self.layout.upper()}",
            f"{self.stored:,} stored elements{share}",
        ]


@dataclass(frozen=True, slots=True)
class AnnotatedMatrix(Meaning):
    """Observations of variables, with tables about both (AnnData)."""

    kind: ClassVar[str] = "annotated matrix"

    observations: int | None
    variables: int | None
    matrix: str
    """What the matrix is, such as ``sparse CSR float32``; empty if there is none."""
    members: tuple[tuple[str, tuple[str, ...]], ...]
    """The groups at its root, and the names in them."""

    def details(self) -> list[str]:
        counts = [
            plural(number, noun)
            for number, noun in ((self.observations, "observation"), (self.variables, "variable"))
            if number is not None
        ]
        return [" × ".join(counts), self.matrix] if self.matrix else [" × ".join(counts)]

    def facts(self) -> list[tuple[str, str]]:
        return [(name, ", ".join(names)) for name, names in self.members if names]


@dataclass(frozen=True, slots=True)
class SpatialElement(Meaning):
    """Shapes or points of SpatialData."""

    kind: ClassVar[str] = "element"

    what: str
    """``shapes`` or ``points``."""
    coordinate_systems: tuple[str, ...]
    """The coordinate systems that the element has a transformation to."""

    @property
    def summary(self) -> str:
        words = f"{self.convention} {self.what}"
        return f"{words}, in {', '.join(self.coordinate_systems)}" if self.coordinate_systems else words


@dataclass(frozen=True, slots=True)
class SpatialData(Meaning):
    """Images, labels, points, shapes and tables of one sample."""

    kind: ClassVar[str] = "spatial data"

    elements: tuple[tuple[str, tuple[str, ...]], ...]
    """The kinds of elements, and their names."""

    def details(self) -> list[str]:
        nouns = {"images": "image", "labels": "label image", "tables": "table"}
        return [
            plural(len(names), nouns[kind]) if kind in nouns else f"{kind}: {len(names):,}"
            for kind, names in self.elements
            if names
        ]

    def facts(self) -> list[tuple[str, str]]:
        return [(kind, ", ".join(names)) for kind, names in self.elements if names]
