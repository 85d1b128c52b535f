"""The interface of data types: their elements in memory, and the spelling of an element in a document.

Accepted specification, "Data types" and "fill_value"; the zarr-extensions registry has one page per type with these two
sections.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import JsonObject, describe
from zarrcore.metadata.named_configuration import NamedConfiguration
from zarrcore.typing import AnyArray

Element = np.ndarray[tuple[()], np.dtype[Any]]
"""One element of an array, as a 0-d array: a NumPy scalar would lose the payload of a signalling NaN."""

_MAX_ITEM_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class DataType:
    """A data type by its version 3 name."""

    name: str
    """The identifier, for instance ``float32`` or ``numpy.datetime64``."""
    configuration: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """The parameters by name; empty for core types."""
    dtype: np.dtype[Any] = field(default=np.dtype("V1"), compare=False)
    """The type in memory, little-endian."""

    @property
    def is_variable_length(self) -> bool:
        """Whether elements have as many bytes as their values need, so that their size is not known in advance."""
        return is_variable_length(self.dtype)

    def document(self) -> str | JsonObject:
        """Its form in a metadata document."""
        return (
            NamedConfiguration(self.name, self.configuration).document() if self.configuration else self.name
        )


class DataTypeFamily(ABC):
    """The data types that one definition describes: one name, or names and configurations of one pattern.

    Other packages add theirs through the entry-point group ``zarrscope.data_types``: the entry's name is that of
    the data type, and its object is a subclass whose constructor takes no arguments. The ``bytes`` codec stores elements of
    any NumPy dtype of fixed size; another dtype needs a codec of its own.
    """

    names: ClassVar[tuple[str, ...]]
    """The identifiers that documents use, the usual one first."""

    @abstractmethod
    def dtype(self, name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
        """The type in memory, little-endian, that a name in a document stands for; ``member`` is the name's place there.

        Raises:
            MetadataError: a parameter that the definition does not allow.
            UnsupportedError: an unknown parameter.
        """

    @abstractmethod
    def parse(self, value: Any, data_type: DataType) -> AnyArray:
        """The element that a document spells, as a new 0-d array; ``value`` is any JSON value except null.

        Raises:
            MetadataError: not a spelling of an element of this type.
        """

    @abstractmethod
    def spell(self, element: Element, data_type: DataType) -> Any:
        """The JSON value from which `parse` makes the same element, bit for bit."""


def is_variable_length(dtype: np.dtype[Any]) -> bool:
    """Whether elements of a NumPy dtype are outside the array's own memory.

    >>> is_variable_length(np.dtypes.StringDType()), is_variable_length(np.dtype("<U3"))
    (True, False)
    """
    return dtype.hasobject


def has_byte_order(dtype: np.dtype[Any]) -> bool:
    """Whether elements are stored differently in little- and in big-endian order.

    >>> has_byte_order(np.dtype("<f4")), has_byte_order(np.dtype([("a", "u1"), ("b", "S4")]))
    (True, False)
    """
    if dtype.fields is not None:
        return any(has_byte_order(part[0]) for part in dtype.fields.values())
    if dtype.subdtype is not None:
        return has_byte_order(dtype.base)
    if dtype.itemsize == 1 or dtype.hasobject:
        return False
    return dtype.kind not in "SV" or is_small_number(dtype)


def with_byte_order(dtype: np.dtype[Any], order: str) -> np.dtype[Any]:
    """The dtype with all its parts in byte order ``<`` or ``>``.

    `numpy.dtype.newbyteorder` does not know strings of variable length, and overlooks fields of bfloat16.

    >>> with_byte_order(np.dtype([("a", "<i4")]), ">")
    dtype([('a', '>i4')])
    """
    return with_parts(dtype, lambda part: part if part.hasobject else part.newbyteorder(order))  # type: ignore[arg-type]


def with_parts(dtype: np.dtype[Any], change: Callable[[np.dtype[Any]], np.dtype[Any]]) -> np.dtype[Any]:
    """The dtype with all its parts, those of fields and subarrays, replaced by others of the same size.

    >>> with_parts(np.dtype([("a", "<i4"), ("b", "<M8[s]", 2)]), lambda part: np.dtype(f"V{part.itemsize}"))
    dtype([('a', 'V4'), ('b', 'V8', (2,))])
    """
    if dtype.names is not None and dtype.fields is not None:
        parts = [with_parts(dtype.fields[name][0], change) for name in dtype.names]
        offsets = [dtype.fields[name][1] for name in dtype.names]
        return np.dtype(
            {"names": dtype.names, "formats": parts, "offsets": offsets, "itemsize": dtype.itemsize}
        )
    if dtype.subdtype is not None:
        return np.dtype((with_parts(dtype.base, change), dtype.shape))
    return change(dtype)


def is_small_number(dtype: np.dtype[Any]) -> bool:
    """Whether this is a number type of the package ml_dtypes; NumPy has no kind for most of them."""
    return dtype.type.__module__ == "ml_dtypes"


def item_bytes(nbytes: int, member: str) -> int:
    """The size of an element in bytes, if it is allowed.

    Raises:
        MetadataError: elements of no bytes, or of more than 256 MiB.
    """
    if not 1 <= nbytes <= _MAX_ITEM_BYTES:
        raise MetadataError(f"elements of {nbytes:,} bytes; 1 byte to 256 MiB are allowed", member=member)
    return nbytes


def no_element(value: Any, data_type: DataType) -> MetadataError:
    """The error for a JSON value that does not spell an element of a type."""
    # NumPy describes a structured type by all its fields, however many there are.
    name = data_type.name if data_type.configuration or data_type.dtype.hasobject else data_type.dtype
    return MetadataError(f"expected an element of type {name}, found {describe(value)}", member="fill_value")
