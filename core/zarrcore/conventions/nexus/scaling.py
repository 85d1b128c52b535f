"""Factors and offsets of stored numbers, which are arrays beside them: ``NAME_scaling_factor`` and ``NAME_offset``.

NeXus manual, base class NXdata: corrected values = (stored + offset) × factor. In older files, ``scaling_factor`` and ``offset``
are those of the signal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from zarrcore.conventions.interface import Find
from zarrcore.conventions.nexus.layout import DATA_CLASS, field, group_of, names, nexus_class
from zarrcore.typing import AnyArray


def scaling_of(array: Any, find: Find) -> tuple[float, float] | None:
    """The scale and the offset of an array of an NXdata group: value = stored × scale + offset; None if it has none.

    Raises:
        ReadCancelledError: only metadata are to be read.
        ZarrError: they are broken.
        StoreError: the store failed.
    """
    group = group_of(array, find)
    if group is None:
        return None
    words = "scaling_factor", "offset"
    factor, offset = (_number(group, f"{array.name}_{word}", find) for word in words)
    if factor is None and offset is None and _is_signal(array, group):
        factor, offset = (_number(group, word, find) for word in words)
    if factor is None and offset is None:
        return None
    scale = 1.0 if factor is None else factor
    return scale, (offset or 0.0) * scale


def scalings(group: Any, arrays: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """The scales and the offsets of arrays of an NXdata group that have some, by name, as of `scaling_of`.

    Args:
        group: any group; others have none.
        arrays: all its arrays that can be opened, by name.
    """
    if nexus_class(group) != DATA_CLASS:
        return {}
    found = {
        name: scaling_of(
            array, lambda path: group if path == group.path else arrays.get(path.rpartition("/")[2])
        )
        for name, array in arrays.items()
        if array.dtype.kind in "iuf"
    }
    return {name: scaling for name, scaling in found.items() if scaling is not None}


def corrected_values(values: AnyArray, array: Any, find: Find) -> AnyArray:
    """The elements of an array with the factor and the offset that its NXdata group has for them, if it has any.

    Raises:
        ZarrError: these are broken.
        StoreError: the store failed.
    """
    scaling = scaling_of(array, find) if values.dtype.kind in "iuf" else None
    return values if scaling is None else values.astype(np.float64) * scaling[0] + scaling[1]


def _is_signal(array: Any, group: Any) -> bool:
    told = group.attributes.get("signal", array.name if str(array.attributes.get("signal")) == "1" else "")
    return bool(told == array.name)


def _number(group: Any, name: str, find: Find) -> float | None:
    """The number that an array holds; None if there is none: an axis may be called ``offset``, too."""
    node = field(group, name, find) if name not in names(group.attributes.get("axes")) else None
    if node is None:
        return None
    if node.kind == "broken":
        raise node.error
    return float(node.read().reshape(-1)[0]) if node.size == 1 and node.dtype.kind in "iuf" else None
