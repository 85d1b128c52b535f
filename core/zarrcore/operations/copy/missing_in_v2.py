"""Missing elements of an array that is written as Zarr v2.

CF conventions 2.5.1, "Missing data". In Zarr v3 and HDF5, the attribute ``_FillValue`` names the value that means "missing".
In Zarr v2, xarray takes the array's fill value for it, whatever the attribute says, unless the fill value is null.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from zarrcore.conventions.cf.missing_values import missing_values
from zarrcore.metadata import ArrayMetadata
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray

_FILL_VALUE: Final = "_FillValue"


def masks_fill_value(metadata: ArrayMetadata) -> bool:
    """Whether the attribute ``_FillValue`` says that the fill value means "missing"."""
    missing = _missing_value(metadata)
    return missing is not None and _equal(missing, metadata.fill_value)


def with_missing_value(metadata: ArrayMetadata, *, every_element_is_stored: bool) -> ArrayMetadata:
    """The metadata of an array of another format, so that Zarr v2 has the same missing elements.

    A fill value of zero becomes null, which reads as zero, too, unless it means "missing". Another one becomes the value that
    means "missing". Arrays without dimension names stay as they are, since xarray does not open them in Zarr v2.

    Args:
        metadata: in terms of Zarr v3.
        every_element_is_stored: whether chunks that are missing in the source are written; otherwise a fill value other than
            zero stays as it is, except NaN, which is a missing element as well.
    """
    missing, fill_value = _missing_value(metadata), metadata.fill_value
    if metadata.dimension_names is None or fill_value.dtype.kind not in "iuf":
        return metadata
    if missing is not None and _equal(missing, fill_value):
        return metadata
    if _equal(fill_value, zero(fill_value.dtype)):
        attributes = _with_plain_value(metadata.attributes, missing)
        return replace(metadata, fill_value_is_told=False, attributes=attributes)
    if missing is not None and (every_element_is_stored or np.isnan(fill_value)):
        return replace(metadata, fill_value=missing, fill_value_is_told=True)
    return metadata


def _missing_value(metadata: ArrayMetadata) -> AnyArray | None:
    found = missing_values(metadata.attributes, metadata.data_type.dtype).get(_FILL_VALUE)
    return None if found is None or found.ndim else found


def _with_plain_value(attributes: Mapping[str, Any], missing: AnyArray | None) -> Mapping[str, Any]:
    """Attributes with the missing value as a number, which xarray expects in Zarr v2; NaN is missing without being named."""
    if missing is None or not isinstance(attributes[_FILL_VALUE], str):
        return attributes
    plain = {name: value for name, value in attributes.items() if name != _FILL_VALUE}
    return plain if np.isnan(missing) else {**plain, _FILL_VALUE: missing.item()}


def _equal(one: AnyArray, other: AnyArray) -> bool:
    return bool(one == other or (one.dtype.kind == "f" and np.isnan(one) and np.isnan(other)))
