"""Dimension scales, written as the HDF5 library and NetCDF-4 would.

Specification: HDF5, "HDF5 Dimension Scales". A dataset refers to the scales of its dimensions, and a scale to its users. The list
of users is written if it fits the early file format (readers of NetCDF ignore it).
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

import numpy as np

from zarrcore.filetypes.hdf5.datatype import REFERENCE, REFERENCES, compound, datatype, terminated_text
from zarrcore.filetypes.hdf5.dimensions import Dimension
from zarrcore.filetypes.hdf5.metadata import Metadata
from zarrcore.filetypes.hdf5.object_header import attribute_message, dataset_messages, object_header

_MAX_USERS: Final = 2000
_TOO_LONG_FOR_FLOATS: Final = 1 << 61
_NO_COORDINATE: Final = "This is a netCDF dimension but not a netCDF variable. %10d"
_USER: Final = compound({"dataset": (REFERENCE, 0), "dimension": (datatype(np.dtype("<i4")), 8)}, 12)


def scale_messages(name: str) -> list[bytes]:
    """The attributes that make a dataset a scale: its class and its name."""
    return [_text_attribute(b"CLASS", b"DIMENSION_SCALE"), _text_attribute(b"NAME", name.encode())]


@lru_cache(256)
def without_coordinate(length: int) -> tuple[bytes, ...]:
    """The messages of the scale of a dimension without a coordinate; it needs no space for elements."""
    kind = np.dtype(">f4" if length < _TOO_LONG_FOR_FLOATS else "u1")
    messages = dataset_messages((length,), datatype(kind), length * kind.itemsize, None)
    return (*messages, *scale_messages(_NO_COORDINATE % length))


def write_datasets(
    datasets: Mapping[bytes, Sequence[bytes]],
    scales: Mapping[Dimension, bytes],
    attached: Mapping[bytes, Sequence[Dimension]],
    metadata: Metadata,
) -> dict[bytes, int]:
    """Write the datasets of a group, scales first; returns the address of each.

    Args:
        datasets: their messages by name, including those of scales.
        scales: the dataset of each dimension.
        attached: the dimensions of those datasets that have any.
        metadata: the metadata to write to.
    """
    counts = Counter(dimension for dimensions in attached.values() for dimension in dimensions)
    told = [dimension for dimension in scales if 0 < counts[dimension] <= _MAX_USERS]
    addresses, ends = {}, {}
    for dimension, name in scales.items():
        users = [_users([(0, 0)] * counts[dimension])] if dimension in told else []
        addresses[name] = metadata.append(object_header([*datasets[name], *users]))
        ends[dimension] = metadata.end
    users_of: dict[Dimension, list[tuple[int, int]]] = {dimension: [] for dimension in scales}
    for name, messages in datasets.items():
        if name in addresses:
            continue
        dimensions = attached.get(name, ())
        references = [addresses[scales[dimension]] for dimension in dimensions]
        mine = [_scales(references, metadata)] if references else []
        addresses[name] = metadata.append(object_header([*messages, *mine]))
        for axis, dimension in enumerate(dimensions):
            users_of[dimension].append((addresses[name], axis))
    for dimension in told:
        message = _users(users_of[dimension])
        metadata.put(ends[dimension] - len(message), message)
    return addresses


def _text_attribute(name: bytes, text: bytes) -> bytes:
    return attribute_message(name, terminated_text(len(text) + 1), (), text + b"\0")


def _users(users: Sequence[tuple[int, int]]) -> bytes:
    """A scale's references to its users: the address of each dataset, and the index of its dimension."""
    data = b"".join(struct.pack("<Qi", *user) for user in users)
    return attribute_message(b"REFERENCE_LIST", _USER, (len(users),), data)


def _scales(addresses: Sequence[int], metadata: Metadata) -> bytes:
    """A dataset's references to its scales: for each dimension a list, here with one item."""
    lists = b"".join(metadata.keep(struct.pack("<Q", address), 1) for address in addresses)
    return attribute_message(b"DIMENSION_LIST", REFERENCES, (len(addresses),), lists)
