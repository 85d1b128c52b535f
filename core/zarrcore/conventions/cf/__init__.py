"""The CF conventions, as xarray and others write them into Zarr: variables, coordinates, times, packed and missing values."""

from zarrcore.conventions.cf.coordinates import (
    Direction,
    coordinate_values,
    direction_of,
    even_spacing,
    find_coordinate,
    is_latitude,
    is_longitude,
)
from zarrcore.conventions.cf.flags import flag_meaning, flags_of
from zarrcore.conventions.cf.missing_values import (
    attributes_in_zarr_v3,
    missing_values,
    missing_values_of,
)
from zarrcore.conventions.cf.packing import (
    Packing,
    among,
    any_of,
    is_single_precision,
    may_be_packed,
    outside,
    packing_of,
)
from zarrcore.conventions.cf.times import decode_times, is_time

__all__ = [
    "Direction",
    "Packing",
    "among",
    "any_of",
    "attributes_in_zarr_v3",
    "coordinate_values",
    "decode_times",
    "direction_of",
    "even_spacing",
    "find_coordinate",
    "flag_meaning",
    "flags_of",
    "is_latitude",
    "is_longitude",
    "is_single_precision",
    "is_time",
    "may_be_packed",
    "missing_values",
    "missing_values_of",
    "outside",
    "packing_of",
]
