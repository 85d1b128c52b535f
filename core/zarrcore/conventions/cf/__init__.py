"""The CF conventions, as xarray and others write them into Zarr: variables, coordinates, times, packed and missing values."""

from zarrcore.conventions.cf.coordinates import coordinate_values, even_spacing, find_coordinate
from zarrcore.conventions.cf.missing_values import missing_values, missing_values_of
from zarrcore.conventions.cf.packing import Packing, among, may_be_packed, packing_of
from zarrcore.conventions.cf.times import decode_times, is_time

__all__ = [
    "Packing",
    "among",
    "coordinate_values",
    "decode_times",
    "even_spacing",
    "find_coordinate",
    "is_time",
    "may_be_packed",
    "missing_values",
    "missing_values_of",
    "packing_of",
]
