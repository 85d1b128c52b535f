"""``r8 r16 …``, ``raw_bytes``, ``null_terminated_bytes`` and ``fixed_length_utf32``: a fixed number of bytes per element.

Accepted specification, "Data types", "r*". The others are zarr-python's names for NumPy's types ``V``, ``S`` and ``U``; the
registry has ``fixed_length_utf32``.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type.interface import DataType, DataTypeFamily, Element, item_bytes, no_element
from zarrcore.metadata.json_document import describe
from zarrcore.typing import AnyArray

RAW_BITS = re.compile(r"r([1-9][0-9]{0,9})")
"""The names of raw types; the number counts bits."""


class FixedLengthFamily(DataTypeFamily):
    """Bytes and text of a fixed length."""

    names: ClassVar[tuple[str, ...]] = ("r*", "raw_bytes", "null_terminated_bytes", "fixed_length_utf32")

    def dtype(self, name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
        if raw := RAW_BITS.fullmatch(name):
            bits = int(raw[1])
            if bits % 8:
                raise MetadataError(f"expected a multiple of 8 bits, found {bits}", member=member)
            return np.dtype(f"V{item_bytes(bits // 8, member)}")
        nbytes = _length(configuration, member)
        if name == "raw_bytes":
            return np.dtype(f"V{nbytes}")
        if name == "null_terminated_bytes":
            return np.dtype(f"S{nbytes}")
        if nbytes % 4:
            raise MetadataError(f"expected a multiple of 4, found {nbytes}", member=f"{member}.length_bytes")
        return np.dtype(f"<U{nbytes // 4}")

    def parse(self, value: Any, data_type: DataType) -> AnyArray:
        dtype = data_type.dtype
        if dtype.kind == "U":
            if isinstance(value, str) and len(value) <= dtype.itemsize // 4:
                return np.array(value, dtype)
            raise no_element(value, data_type)
        if type(value) is int and value == 0:
            return np.zeros((), dtype)
        raw = parse_bytes(value, data_type)
        # Only a null-terminated string may be spelled shorter than its type.
        if len(raw) > dtype.itemsize or (len(raw) < dtype.itemsize and dtype.kind != "S"):
            raise MetadataError(f"expected {dtype.itemsize} bytes, found {len(raw)}", member="fill_value")
        return np.frombuffer(raw.ljust(dtype.itemsize, b"\0"), dtype).reshape(()).copy()

    def spell(self, element: Element, data_type: DataType) -> Any:
        if element.dtype.kind == "U":
            return element.item()
        raw = element.tobytes()
        return list(raw) if RAW_BITS.fullmatch(data_type.name) else spell_bytes(raw)


def _length(configuration: Mapping[str, Any], member: str) -> int:
    value = configuration.get("length_bytes")
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise MetadataError(
            f"expected a number of bytes, found {describe(value)}", member=f"{member}.length_bytes"
        )
    return item_bytes(value, member)


def parse_bytes(value: Any, data_type: DataType) -> bytes:
    """Bytes in base64, or as an array of their values.

    Raises:
        MetadataError: anything else.
    """
    try:
        if isinstance(value, str):
            return base64.b64decode(value, validate=True)
        if isinstance(value, list) and all(type(item) is int for item in value):
            return bytes(value)
    except (binascii.Error, ValueError) as error:
        raise no_element(value, data_type) from error
    raise no_element(value, data_type)


def spell_bytes(raw: bytes) -> str:
    """Bytes in base64."""
    return base64.standard_b64encode(raw).decode("ascii")
