"""Elements as text that people and other programs read: JSON and CSV, of any data type.

These are made whole in memory, so they are for selections of a size that somebody reads; what is larger has a file type.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from zarrcore.errors import UnsupportedError

if TYPE_CHECKING:
    import numpy as np

    from zarrcore.array import Array, Selection

TEXT_SUFFIXES = ("json", "csv")
"""The endings of files of text."""

_MAX_SIZE = 1 << 22


def values_as_text(array: Array, selection: Selection, suffix: str) -> bytes:
    """The selected elements as one text in UTF-8.

    Raises:
        UnsupportedError: a selection that is too large, or for CSV one of more than two dimensions.
        As `Array.read`.
    """
    from zarrcore.array.selection import normalize, result_shape

    shape = result_shape(normalize(selection, array.shape))
    if math.prod(shape) > _MAX_SIZE:
        raise UnsupportedError(
            "selection", str(shape), f"is too large for text: select at most {_MAX_SIZE:,} elements"
        )
    if suffix == "csv" and len(shape) > 2:
        raise UnsupportedError("selection", str(shape), "is no table: select at most two dimensions")
    values = array.read(selection)
    text = _csv(values) if suffix == "csv" else json.dumps(_nested(values), ensure_ascii=False) + "\n"
    return text.encode("utf-8", "surrogatepass")


def _nested(values: np.ndarray[Any, Any]) -> Any:
    """Lists in lists, as JSON has arrays."""
    flat = _plain(values.reshape(-1))
    for axis in range(values.ndim - 1, 0, -1):
        length = values.shape[axis]
        flat = [flat[i * length : (i + 1) * length] for i in range(math.prod(values.shape[:axis]))]
    return flat if values.ndim else flat[0]


def _csv(values: np.ndarray[Any, Any]) -> str:
    """A row per element of the first dimension; a structured type has a column per field, and their names first."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    if values.dtype.names is not None and values.ndim < 2:
        writer.writerow(values.dtype.names)
        writer.writerows(map(_cells, (row.values() for row in _plain(values.reshape(-1)))))
    elif values.ndim == 2:
        writer.writerows(map(_cells, _nested(values)))
    else:
        writer.writerows(map(_cells, ([value] for value in _plain(values.reshape(-1)))))
    return stream.getvalue()


def _cells(row: Iterable[Any]) -> list[Any]:
    return [
        json.dumps(cell, ensure_ascii=False) if isinstance(cell, list | dict | bool) else cell for cell in row
    ]


def _plain(values: np.ndarray[Any, Any]) -> list[Any]:
    """Elements, in one dimension, as values that JSON has; bytes that are no text in base64."""
    import numpy as np

    from zarrcore.metadata.data_type import is_small_number

    dtype = values.dtype
    if dtype.names is not None:
        columns = [_field(values[name]) for name in dtype.names]
        return [dict(zip(dtype.names, row, strict=True)) for row in zip(*columns, strict=True)]
    if is_small_number(dtype):
        wide = {"i": "i1", "u": "u1"}.get(dtype.name[0], "c8" if "complex" in dtype.name else "f4")
        return _plain(values.astype(wide))
    match dtype.kind:
        case "f":
            return [_number(text) for text in values.astype("U").tolist()]
        case "c":
            return [list(parts) for parts in zip(_plain(values.real), _plain(values.imag), strict=True)]
        case "M":
            return list(np.datetime_as_string(values).tolist())
        case "m":
            return [None if count is None else int(count) for count in _counts(values)]
        case "S":
            return [raw.decode("utf-8", "backslashreplace") for raw in values.tolist()]
        case "V" | "O":
            return [base64.standard_b64encode(bytes(raw)).decode("ascii") for raw in values.tolist()]
        case _:
            return list(values.tolist())


def _field(values: np.ndarray[Any, Any]) -> list[Any]:
    if values.ndim == 1:
        return _plain(values)
    return [_nested(part) for part in values]


def _number(text: str) -> float | str:
    """The shortest decimal that means the element; JSON has no number that is none."""
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text) or float(text)


def _counts(values: np.ndarray[Any, Any]) -> list[int | None]:
    import numpy as np

    gone = np.isnat(values)
    return [None if none else count for none, count in zip(gone, values.view("<i8").tolist(), strict=True)]
