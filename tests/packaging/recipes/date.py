"""A data type: days, spelled as in ISO 8601."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from zarrcore.metadata.data_type.interface import DataType, DataTypeFamily


class DateFamily(DataTypeFamily):
    names: ClassVar[tuple[str, ...]] = ("date",)

    def dtype(self, name: str, configuration: Any, member: str) -> np.dtype[Any]:
        return np.dtype("<M8[D]")

    def parse(self, value: Any, data_type: DataType) -> Any:
        return np.array(value, data_type.dtype)

    def spell(self, element: Any, data_type: DataType) -> Any:
        return str(element)
