"""``zarrs.optional``: values that may be missing.

Specification: zarrs' documentation, "optional", which calls it experimental. In memory an element is a record of the fields
``value`` and ``is_valid``; the value of a missing element is zero. The fill value is ``null`` if it is missing, else an array
of one element.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from zarrcore.errors import UnsupportedError
from zarrcore.metadata.data_type.interface import DataType, DataTypeFamily, Element, no_element
from zarrcore.typing import AnyArray

_FIELDS = ("value", "is_valid")


class OptionalFamily(DataTypeFamily):
    """Values of another type that may be missing."""

    names: ClassVar[tuple[str, ...]] = ("zarrs.optional", "optional")

    def dtype(self, name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
        inner = _inner(configuration, member)
        if inner.is_variable_length or inner.dtype.subdtype is not None:
            raise UnsupportedError("data type", name, f"of {inner.name} is not supported")
        return np.dtype([("value", inner.dtype), ("is_valid", "?")])

    def parse(self, value: Any, data_type: DataType) -> AnyArray:
        element = np.zeros((), data_type.dtype)
        if value is None:
            return element
        if not isinstance(value, list) or len(value) != 1:
            raise no_element(value, data_type)
        inner = _inner(data_type.configuration, "data_type")
        if value[0] is not None or is_optional(inner.dtype):
            element["value"] = _family(inner).parse(value[0], inner)
        element["is_valid"] = True
        return element

    def spell(self, element: Element, data_type: DataType) -> Any:
        if not element["is_valid"]:
            return None
        inner = _inner(data_type.configuration, "data_type")
        return [_family(inner).spell(np.asarray(element["value"]), inner)]


def is_optional(dtype: np.dtype[Any]) -> bool:
    """Whether elements of a NumPy dtype are values that may be missing.

    >>> is_optional(np.dtype([("value", "<i4"), ("is_valid", "?")]))
    True
    """
    return dtype.names == _FIELDS and dtype["is_valid"] == np.dtype("?")


def _inner(configuration: Mapping[str, Any], member: str) -> DataType:
    # Imported late, here and below: the registry imports this family, whose values may be of any type of the registry.
    from zarrcore.metadata.data_type.registry import parse_field_type

    return parse_field_type(dict(configuration), f"{member}.configuration")


def _family(data_type: DataType) -> DataTypeFamily:
    from zarrcore.metadata.data_type.registry import family_of

    return family_of(data_type.name)
