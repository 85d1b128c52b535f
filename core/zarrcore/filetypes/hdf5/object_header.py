"""Object headers: the description of a group or a dataset as a sequence of messages.

Specification: HDF5, "File Format Specification Version 3.0", IV.A.1.a (version 1 of the header) and IV.A.2 (messages). Each
message has the version that the oldest programs read. Everything is padded to multiples of eight bytes.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from zarrcore.errors import UnsupportedError

UNDEFINED_ADDRESS: Final = (1 << 64) - 1
LAYOUT_ADDRESS_AT: Final = 16 + 8 + 2
"""The offset of the elements' address in the header of a dataset, whose first message is the layout."""
MAX_MESSAGES: Final = (1 << 16) - 1
_MAX_MESSAGE_NBYTES: Final = (1 << 16) - 8
_DATASPACE, _DATATYPE, _FILL_VALUE, _LAYOUT, _ATTRIBUTE, _SYMBOL_TABLE = 0x1, 0x3, 0x5, 0x8, 0xC, 0x11
_ALLOCATED_LATE, _WRITTEN_IF_SET, _IS_DEFINED = 2, 2, 1
_CONTIGUOUS = 1


def padded(data: bytes) -> bytes:
    """Data, and zeros up to a multiple of eight bytes."""
    return data + bytes(-len(data) % 8)


def object_header(messages: Sequence[bytes]) -> bytes:
    """A header of messages, at most `MAX_MESSAGES`."""
    body = b"".join(messages)
    return struct.pack("<BxHII4x", 1, len(messages), 1, len(body)) + body


def group_messages(tree: int, heap: int) -> list[bytes]:
    """The messages of a group: the addresses of its symbol table's B-tree and local heap."""
    return [_message(_SYMBOL_TABLE, struct.pack("<QQ", tree, heap))]


def dataset_messages(shape: tuple[int, ...], datatype: bytes, nbytes: int, fill: bytes | None) -> list[bytes]:
    """The messages of a dataset of ``nbytes`` contiguous bytes, whose address is not set yet; the layout comes first.

    Args:
        shape: the shape of the dataset.
        datatype: the body of the datatype message.
        nbytes: bytes of all elements.
        fill: bytes of the fill value, written if they fit; None for the default, zero.

    Raises:
        UnsupportedError: the type does not fit.
    """
    layout = struct.pack("<BBQQ", 3, _CONTIGUOUS, UNDEFINED_ADDRESS, nbytes)
    return [
        _message(_LAYOUT, layout),
        _message(_DATASPACE, _dataspace(shape)),
        *_type_messages(datatype, fill),
    ]


@lru_cache(256)
def _type_messages(datatype: bytes, fill: bytes | None) -> tuple[bytes, bytes]:
    if fill is None or len(fill) > _MAX_MESSAGE_NBYTES - 8:
        fill = b""
    told = struct.pack("<BBBBI", 2, _ALLOCATED_LATE, _WRITTEN_IF_SET, _IS_DEFINED, len(fill)) + fill
    return _message(_DATATYPE, datatype, constant=True), _message(_FILL_VALUE, told, constant=True)


def attribute_message(name: bytes, datatype: bytes, shape: tuple[int, ...], data: bytes) -> bytes:
    """An attribute with its value.

    Raises:
        UnsupportedError: it does not fit.
    """
    return _message(_ATTRIBUTE, _attribute_head(name, datatype, shape) + data)


@lru_cache(1024)
def _attribute_head(name: bytes, datatype: bytes, shape: tuple[int, ...]) -> bytes:
    space = _dataspace(shape)
    sizes = struct.pack("<BxHHH", 1, len(name) + 1, len(datatype), len(space))
    return sizes + padded(name + b"\0") + padded(datatype) + padded(space)


@lru_cache(1024)
def _dataspace(shape: tuple[int, ...]) -> bytes:
    return struct.pack(f"<BBB5x{len(shape)}Q", 1, len(shape), 0, *shape)


def _message(kind: int, body: bytes, *, constant: bool = False) -> bytes:
    body = padded(body)
    if len(body) > _MAX_MESSAGE_NBYTES:
        raise UnsupportedError("size", f"{len(body)} bytes", "is too large for HDF5's early formats")
    return struct.pack("<HHB3x", kind, len(body), constant) + body
