"""The values of coordinate variables.

CF conventions, 4 "Coordinate Types" and 5 "Coordinate Systems and Domain": a one-dimensional array with the name of its dimension
holds the coordinates.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from zarrcore.conventions.cf.packing import packing_of
from zarrcore.conventions.cf.times import decode_times, shortest
from zarrcore.conventions.values import text


def coordinate_values(array: Any) -> tuple[NDArray[Any], str]:
    """The elements of an array as coordinates, and their unit.

    They are unpacked; times become datetime64, or texts in calendars that NumPy does not have, and have no unit.

    Raises:
        ZarrError: the array cannot be read.
    """
    values, units = np.asarray(array.read()), text(array.attributes.get("units"))
    packing = packing_of(array)
    if packing is not None:
        values = packing.unpacked(values)
    dates = decode_times(values, units, text(array.attributes.get("calendar")))
    if dates is not None:
        return dates, ""
    if values.dtype.kind == "M":
        return shortest(values), ""
    return (values.astype(np.int8) if values.dtype.kind == "b" else values), units
