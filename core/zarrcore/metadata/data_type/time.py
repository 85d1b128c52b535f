"""``numpy.datetime64`` and ``numpy.timedelta64``: counts of a unit of time.

Specification: the zarr-extensions registry, both types.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from zarrcore.errors import MetadataError
from zarrcore.metadata.data_type.interface import DataType, DataTypeFamily, Element
from zarrcore.metadata.data_type.numbers import parse_integer
from zarrcore.metadata.json_document import describe
from zarrcore.typing import AnyArray

_UNITS = {"Y", "M", "W", "D", "h", "m", "s", "ms", "us", "μs", "ns", "ps", "fs", "as", "generic"}


class TimeFamily(DataTypeFamily):
    """Datetimes and timedeltas."""

    names: ClassVar[tuple[str, ...]] = ("numpy.datetime64", "numpy.timedelta64")

    def dtype(self, name: str, configuration: Mapping[str, Any], member: str) -> np.dtype[Any]:
        unit, scale = configuration.get("unit"), configuration.get("scale_factor", 1)
        if not isinstance(unit, str) or unit not in _UNITS:
            raise MetadataError(f"expected a unit of time, found {describe(unit)}", member=f"{member}.unit")
        if isinstance(scale, bool) or not isinstance(scale, int) or not 1 <= scale < 2**31:
            raise MetadataError(
                f"expected a positive integer, found {describe(scale)}", member=f"{member}.scale_factor"
            )
        code = "M8" if name == "numpy.datetime64" else "m8"
        return np.dtype(f"<{code}" if unit == "generic" else f"<{code}[{scale}{unit}]")

    def parse(self, value: Any, data_type: DataType) -> AnyArray:
        if value == "NaT":
            return not_a_time(data_type.dtype)
        return np.array(parse_integer(value, data_type, -(2**63), 2**63 - 1), "<i8").view(data_type.dtype)

    def spell(self, element: Element, data_type: DataType) -> Any:
        return "NaT" if np.isnat(element) else int(element.view("<i8"))


def not_a_time(dtype: np.dtype[Any]) -> AnyArray:
    """The element NaT. NumPy 2.5 deprecates its own conversion for timedeltas without a unit."""
    return np.array(-(2**63), "<i8").view(dtype)
