"""Units: what is decoded as a whole, and which of them a selection needs.

A unit is a chunk, or the innermost inner chunk where chunks are shards. Units form one regular grid over the array, whatever
the nesting, so that a selection is arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeVar

import numpy as np

from zarrcore.array.chunk_cache import Chunk, Claim
from zarrcore.array.selection import AxisRange, crossings
from zarrcore.errors import ZarrError

Result = TypeVar("Result")

Region = tuple[slice, ...]

Crossings = Sequence[Sequence[tuple[int, slice, slice]]]
"""Per dimension, the units that a selection crosses: index, what to take of the unit, where it goes."""


@dataclass(slots=True)
class Unit:
    """One unit that a read needs."""

    index: tuple[int, ...]
    """Its place in the grid of units."""
    region: Region | None
    """What is taken of it; None for all."""
    destination: np.ndarray[Any, Any] | None
    """Where that goes; None where decoding into the cache is all that is asked."""
    claim: Claim | None = None
    """The cache's claim, where there is a cache."""

    def take(self, decoded: Chunk) -> None:
        """Copy what is wanted of the decoded unit to where it goes."""
        if self.destination is not None:
            np.copyto(self.destination, decoded if self.region is None else decoded[self.region])


@dataclass(frozen=True, slots=True)
class UnitGrid:
    """The units of one array."""

    unit_shape: tuple[int, ...]
    """Elements per dimension of a unit."""
    chunk_shape: tuple[int, ...]
    """Elements per dimension of a chunk: a multiple of the unit's."""

    def crossings(self, ranges: Sequence[AxisRange]) -> Crossings:
        """What the selection ``ranges`` crosses."""
        return [crossings(axis, length) for axis, length in zip(ranges, self.unit_shape, strict=True)]

    def units(self, crossed: Crossings, out: np.ndarray[Any, Any] | None) -> Iterator[Unit]:
        """The units crossed, in C order; ``out`` has a dimension per range."""
        for part in product(*crossed):
            region = tuple(inside for _, inside, _ in part)
            whole = all(
                inside.stop - inside.start == length and inside.step in (None, 1)
                for inside, length in zip(region, self.unit_shape, strict=True)
            )
            place: Any = (*(outside for _, _, outside in part), ...)
            destination = None if out is None else out[place]
            yield Unit(tuple(index for index, _, _ in part), None if whole else region, destination)

    def units_by_chunk(self, crossed: Crossings, out: np.ndarray[Any, Any] | None) -> Iterator[list[Unit]]:
        """The same in groups of one chunk each; only one group is held at a time."""
        if self.unit_shape == self.chunk_shape:
            for unit in self.units(crossed, out):
                yield [unit]
            return
        per_chunk = []
        for axis, parts in enumerate(crossed):
            units_per_chunk = self.chunk_shape[axis] // self.unit_shape[axis]
            groups: dict[int, list[tuple[int, slice, slice]]] = {}
            for part in parts:
                groups.setdefault(part[0] // units_per_chunk, []).append(part)
            per_chunk.append(list(groups.values()))
        for chunk in product(*per_chunk):
            yield list(self.units(chunk, out))

    def group_by_chunk(self, units: list[Unit]) -> Iterable[list[Unit]]:
        """Any units in groups of one chunk each."""
        groups: dict[tuple[int, ...], list[Unit]] = {}
        for unit in units:
            groups.setdefault(self.box(unit, self.chunk_shape), []).append(unit)
        return groups.values()

    def units_of(self, index: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The indices of the units of the chunk at a grid index."""
        counts = (chunk // unit for chunk, unit in zip(self.chunk_shape, self.unit_shape, strict=True))
        return product(*(range(i * count, (i + 1) * count) for i, count in zip(index, counts, strict=True)))

    def box(self, unit: Unit, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The index of the box of ``shape`` in which a unit lies, in a grid of such boxes."""
        return tuple(
            index * length // box
            for index, length, box in zip(unit.index, self.unit_shape, shape, strict=True)
        )


def attempt(units: list[Unit], read: Callable[..., Result], *arguments: Any) -> Result:
    """``read(*arguments)``; where it fails, those who wait for ``units`` in the cache are told.

    Raises:
        ZarrError: as ``read``.
    """
    try:
        return read(*arguments)
    except ZarrError as error:
        for unit in units:
            if unit.claim is not None:
                unit.claim.fail(error)
        raise
