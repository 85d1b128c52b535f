"""The mappings of a virtual dataset: which of its elements are which elements of other datasets.

HDF5 File Format Specification, "Global Heap Block for Virtual Datasets". A name with ``%b`` names a file or dataset for each
block of an unlimited selection. The length of an unlimited dataset follows from its sources, as in the HDF5 library, unless it
is told otherwise: up to the last element that there is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

import numpy as np

from zarrcore.stores.hdf5.elsewhere.selection import (
    UNLIMITED,
    Line,
    Selection,
    Steps,
    parse_selection,
)
from zarrcore.stores.virtual.file_reader import BrokenFileError, check_sum, unsigned

_DATASET_AS_BEFORE: Final = 2
_FILE_AS_BEFORE: Final = 1
_SAME_FILE: Final = 4
_MAX_MAPPINGS: Final = 1 << 16
_FORMAT: Final = re.compile("%([%b])")

Shape = Callable[[str, str], tuple[int, ...] | None]
"""The shape of a dataset by the names of its file and itself; None if it does not exist."""


class Mapping(NamedTuple):
    """Elements of a dataset, in C order, which are those of another one."""

    file: str
    """The name of the other file; ``.`` for the same one."""
    dataset: str
    source: Selection
    virtual: Selection


def parse_mappings(data: bytes) -> list[Mapping]:
    """The mappings in an object of the global heap.

    Raises:
        BrokenFileError: they are broken.
        UnshownError: one of them is not of grids.
    """
    version, count = unsigned(data, 0, 1), unsigned(data, 1, 8)
    if version > 1:
        raise BrokenFileError(f"a virtual dataset has mappings of version {version}")
    if count > _MAX_MAPPINGS:
        raise BrokenFileError(f"a virtual dataset has {count:,} mappings")
    check_sum(data, "the mappings of a virtual dataset")
    found: list[Mapping] = []
    at = 9
    for _ in range(count):
        flags = 0
        if version:
            flags, at = unsigned(data, at, 1), at + 1
        if flags & _SAME_FILE:
            file = "."
        elif flags & _FILE_AS_BEFORE:
            file, at = _before(found, unsigned(data, at, 8)).file, at + 8
        else:
            file, at = _name(data, at)
        if flags & _DATASET_AS_BEFORE:
            dataset, at = _before(found, unsigned(data, at, 8)).dataset, at + 8
        else:
            dataset, at = _name(data, at)
        source, at = parse_selection(data, at)
        virtual, at = parse_selection(data, at)
        found.append(Mapping(file, dataset, source, virtual))
    return found


def _before(found: list[Mapping], number: int) -> Mapping:
    if number >= len(found):
        raise BrokenFileError("a mapping of a virtual dataset has the name of one that follows")
    return found[number]


def _name(data: bytes, at: int) -> tuple[str, int]:
    end = data.find(b"\0", at)
    if end < 0:
        raise BrokenFileError("a name in the mappings of a virtual dataset does not end")
    return data[at:end].decode("utf-8", "surrogateescape"), end + 1


def growing(selection: Selection) -> int | None:
    """The dimension without an end; None if there is none."""
    for d, line in enumerate(selection or ()):
        if line.is_unlimited:
            return d
    return None


def limited(
    mappings: list[Mapping], shape: tuple[int, ...], shape_of: Shape
) -> tuple[list[Mapping], tuple[int, ...]]:
    """The mappings with the ends that follow from the sources, and the shape of the dataset.

    Args:
        mappings: as they are stored.
        shape: of the dataset, as it is stored.
        shape_of: finds the shapes of sources.

    Raises:
        BrokenFileError: they do not fit.
        UnshownError: an end is within a block.
    """
    found: list[Mapping] = []
    grown: dict[int, int] = {}
    for mapping in mappings:
        dimension = growing(mapping.virtual)
        if dimension is None and growing(mapping.source) is not None:
            raise BrokenFileError("a mapping of a virtual dataset is unlimited on one side only")
        if dimension is None or mapping.virtual is None:
            found.append(mapping._replace(file=_filled(mapping.file), dataset=_filled(mapping.dataset)))
            continue
        line = mapping.virtual[dimension]
        blocks = [*_blocks(mapping, dimension, shape_of)]
        found += blocks
        if len(found) > _MAX_MAPPINGS:
            raise BrokenFileError(f"a virtual dataset has more than {_MAX_MAPPINGS:,} mappings")
        number = sum(len(block.virtual[dimension]) for block in blocks if block.virtual is not None)
        needed = line.extent(number) if isinstance(line, Steps) else 0
        grown[dimension] = max(grown.get(dimension, 0), needed)
    for mapping in found if grown else ():
        for d, line in enumerate(mapping.virtual or ()):
            if d in grown and len(line):
                grown[d] = max(grown[d], int(line.at(np.array([len(line) - 1]))[0]) + 1)
    return found, tuple(grown.get(d, length) for d, length in enumerate(shape))


def _blocks(mapping: Mapping, dimension: int, shape_of: Shape) -> Iterator[Mapping]:
    """The parts of an unlimited mapping that exist."""
    growing_source = growing(mapping.source)
    if growing_source is not None:
        file, dataset = _filled(mapping.file), _filled(mapping.dataset)
        shape = shape_of(file, dataset)
        if shape is None:
            return
        line = _line(mapping.source, growing_source)
        if growing_source >= len(shape):
            raise BrokenFileError("a mapping of a virtual dataset has more dimensions than its source")
        number = line.below(shape[growing_source])
        if number:
            source = _with(mapping.source, growing_source, line.limited(number))
            virtual = _with(mapping.virtual, dimension, _line(mapping.virtual, dimension).limited(number))
            yield Mapping(file, dataset, source, virtual)
        return
    line = _line(mapping.virtual, dimension)
    if line.block == UNLIMITED or not line.block or "%b" not in (mapping.file + mapping.dataset):
        raise BrokenFileError("a mapping of a virtual dataset is unlimited on one side only")
    for number in range(_MAX_MAPPINGS + 1):
        file, dataset = _filled(mapping.file, number), _filled(mapping.dataset, number)
        if shape_of(file, dataset) is None:
            return
        block = Steps(line.start + number * line.stride, line.block, 1, line.block)
        yield Mapping(file, dataset, mapping.source, _with(mapping.virtual, dimension, block))


def _line(selection: Selection, dimension: int) -> Steps:
    line = selection[dimension] if selection is not None else None
    if not isinstance(line, Steps):
        raise BrokenFileError("a mapping of a virtual dataset is not regular")
    return line


def _with(selection: Selection, dimension: int, line: Line) -> Selection:
    lines = selection or ()
    return (*lines[:dimension], line, *lines[dimension + 1 :])


def _filled(name: str, number: int | None = None) -> str:
    """A name with the number of a block in place of ``%b``.

    >>> _filled("a%b%%.h5", 3), _filled("a%%.h5")
    ('a3%.h5', 'a%.h5')
    """
    return _FORMAT.sub(
        lambda found: "%" if found[1] == "%" else found[0] if number is None else str(number), name
    )
