"""``string`` and ``bytes``: elements of variable length.

Specification: the zarr-extensions registry, both types; ``variable_length_bytes`` is zarr-python's name for ``bytes``. In memory
strings have NumPy's `numpy.dtypes.StringDType`, and bytes are Python objects. Only the codecs ``vlen-utf8`` and ``vlen-bytes``
make objects, so that an array of objects never holds others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from zarrcore.metadata.data_type.fixed_length import parse_bytes, spell_bytes
from zarrcore.metadata.data_type.interface import DataType, DataTypeFamily, Element, no_element
from zarrcore.typing import AnyArray


class StringFamily(DataTypeFamily):
    """Unicode strings."""

    names: ClassVar[tuple[str, ...]] = ("string",)

    def dtype(self, name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
        return np.dtypes.StringDType()

    def parse(self, value: Any, data_type: DataType) -> AnyArray:
        try:
            if isinstance(value, str):
                return np.array(value, data_type.dtype)
        except UnicodeEncodeError as error:  # half a surrogate pair, which JSON can spell and UTF-8 cannot
            raise no_element(value, data_type) from error
        if type(value) is int and value == 0:
            return np.zeros((), data_type.dtype)  # what writers of Zarr v2 use for an undefined value
        raise no_element(value, data_type)

    def spell(self, element: Element, data_type: DataType) -> Any:
        return str(element[()])


class BytesFamily(DataTypeFamily):
    """Byte strings."""

    names: ClassVar[tuple[str, ...]] = ("bytes", "variable_length_bytes")

    def dtype(self, name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
        return np.dtype(object)

    def parse(self, value: Any, data_type: DataType) -> AnyArray:
        element = np.empty((), object)
        element[()] = b"" if type(value) is int and value == 0 else parse_bytes(value, data_type)
        return element

    def spell(self, element: Element, data_type: DataType) -> Any:
        return spell_bytes(bytes(element[()]))
