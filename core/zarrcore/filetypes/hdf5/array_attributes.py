"""The attributes of an array: its own, those that describe its type, and the missing value of the CF conventions."""

from __future__ import annotations

from typing import Any

from zarrcore.conventions.cf import missing_values
from zarrcore.filetypes.hdf5.elements import Stored, converted
from zarrcore.formats.v2.parse import DIMENSIONS_ATTRIBUTE
from zarrcore.hierarchy import ArrayNode


def array_attributes(array: ArrayNode, how: Stored) -> dict[str, Any]:
    """The attributes of an array's dataset. A missing value must have the dataset's type."""
    told = {name: value for name, value in array.attributes.items() if name != DIMENSIONS_ATTRIBUTE}
    if how.parts is None and how.variable is None:
        fill = array.metadata.fill_value if array.fill_value_is_missing else None
        fill = None if fill is None else converted(fill, how)
        told |= missing_values(array.attributes, how.file_dtype, fill)
    return {**told, **how.attributes}
