"""Fields of structured elements in the selections of ``array[…]``: names beside the indices, as in zarr-python.

>>> split_fields((slice(0, 3), "x"))
(['x'], slice(0, 3, None))
"""

from __future__ import annotations

from typing import Any

import numpy as np

from zarrcore.errors import SelectionError


def split_fields(selection: Any) -> tuple[list[Any], Any]:
    """The fields that a selection names, each a name or a list of names, and the selection without them."""
    items = selection if isinstance(selection, tuple) else (selection,)
    fields = [item for item in items if _is_field(item)]
    if not fields:
        return fields, selection
    rest = tuple(item for item in items if not _is_field(item))
    return fields, rest[0] if len(rest) == 1 else rest or ...


def _is_field(item: Any) -> bool:
    return isinstance(item, str) or (
        isinstance(item, list) and bool(item) and all(isinstance(name, str) for name in item)
    )


def field_of(fields: list[Any], dtype: np.dtype[Any]) -> str | list[str]:
    """The index of `numpy.ndarray` that selects ``fields`` of elements of ``dtype``.

    Raises:
        SelectionError: elements have no fields or none of this name, or there is more than one choice.
    """
    if dtype.names is None:
        raise SelectionError(f"{fields[0]!r} names a field, but elements of {dtype} have none")
    if len(fields) > 1:
        raise SelectionError(f"put the names of several fields into one list, found {fields}")
    chosen: str | list[str] = fields[0]
    for name in [chosen] if isinstance(chosen, str) else chosen:
        if name not in dtype.names:
            raise SelectionError(f"there is no field {name!r}; the fields are {', '.join(dtype.names)}")
    if not isinstance(chosen, str) and len({*chosen}) < len(chosen):
        raise SelectionError(f"a field is selected twice: {chosen}")
    return chosen


def taken(elements: Any, field: str | list[str]) -> Any:
    """The fields of elements, without the memory of the others."""
    from numpy.lib.recfunctions import repack_fields  # late: it imports masked arrays

    found = elements[field]
    return found.copy() if isinstance(field, str) else repack_fields(found)
