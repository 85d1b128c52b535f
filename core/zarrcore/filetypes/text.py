"""Elements of any data type as text: JSON and CSV.

The text is made as a whole in memory, for selections that a person can read; larger ones have virtual files.
"""

from __future__ import annotations

import base64
import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from zarrcore.array import Array, Selection
from zarrcore.errors import UnsupportedError
from zarrcore.filetypes.body import ArrayBody
from zarrcore.metadata.data_type import is_small_number
from zarrcore.typing import AnyArray

_Converter = Callable[[AnyArray], AnyArray]
_MAX_SIZE = 1 << 22
_PIECE_SIZE = 1 << 16


def values_as_text(
    array: Array,
    selection: Selection,
    suffix: str,
    max_nbytes: int | None = None,
    convert: _Converter = lambda elements: elements,
) -> bytes:
    """The selected elements as one text in UTF-8.

    Args:
        max_nbytes: the maximum length of a JSON text, which bounds elements of variable length.
        convert: returns the values to write instead of the elements: an array of the same shape.

    Raises:
        UnsupportedError: the selection is too large, or has more than two dimensions for CSV.
        As `Array.read`.
    """
    body = ArrayBody(array, selection)
    if math.prod(body.shape) > _MAX_SIZE:
        raise UnsupportedError(
            "selection", str(body.shape), f"is too large for text: select at most {_MAX_SIZE:,} elements"
        )
    if suffix == "csv":
        if len(body.shape) > 2:
            raise UnsupportedError("shape", str(body.shape), "is not a table: select at most two dimensions")
        return _csv(convert(array.read(selection))).encode("utf-8", "surrogatepass")
    text = bytearray()
    for piece in _json(body, convert):
        text += piece.encode("utf-8", "surrogatepass")
        if max_nbytes is not None and len(text) > max_nbytes:
            raise UnsupportedError(
                "selection", str(body.shape), f"is too large: its text has more than {max_nbytes:,} bytes"
            )
    return bytes(text)


def _json(body: ArrayBody, convert: _Converter) -> Iterator[str]:
    """JSON in pieces of some rows."""
    if not body.shape:
        yield json.dumps(_nested(convert(body.read_box(()))), ensure_ascii=False) + "\n"
        return
    length, others = body.shape[0], body.shape[1:]
    rows = max(1, body.chunk_shape[0], _PIECE_SIZE // (math.prod(others) or 1))
    for start in range(0, length, rows):
        values = body.read_box(((start, min(start + rows, length)), *((0, other) for other in others)))
        yield (", " if start else "[") + json.dumps(_nested(convert(values)), ensure_ascii=False)[1:-1]
    yield "]\n" if length else "[]\n"


def _nested(values: AnyArray) -> Any:
    """Nested lists for a JSON array."""
    flat = _plain(values.reshape(-1))
    for axis in range(values.ndim - 1, 0, -1):
        length = values.shape[axis]
        flat = [flat[i * length : (i + 1) * length] for i in range(math.prod(values.shape[:axis]))]
    return flat if values.ndim else flat[0]


def records_as_texts(values: AnyArray) -> AnyArray:
    """Structures as texts, each a JSON object of its fields.

    >>> records_as_texts(np.array([(1, "a")], [("n", "u1"), ("t", object)])).tolist()
    ['{"n": 1, "t": "a"}']
    """
    texts = [json.dumps(row, ensure_ascii=False) for row in _plain(values.reshape(-1))]
    return np.array(texts, np.dtypes.StringDType()).reshape(values.shape)


def _csv(values: AnyArray) -> str:
    """A row for each index of the first dimension; a structured type has a column for each field, and a row of their names."""
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


def _plain(values: AnyArray) -> list[Any]:
    """Elements of one dimension as JSON values; bytes that are not text are in base64."""
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
        case "M" if np.datetime_data(dtype)[0] != "generic":
            try:
                return list(np.datetime_as_string(values).tolist())
            except OverflowError:
                return [_date(value) for value in values]
        case "m" | "M":
            return [None if count is None else int(count) for count in _counts(values)]
        case "S":
            return [raw.decode("utf-8", "backslashreplace") for raw in values.tolist()]
        case "V" | "O":  # texts are in fields of structures
            return [
                raw if isinstance(raw, str) else base64.standard_b64encode(bytes(raw)).decode("ascii")
                for raw in values.tolist()
            ]
        case _:
            return list(values.tolist())


def _field(values: AnyArray) -> list[Any]:
    if values.ndim == 1:
        return _plain(values)
    return [_nested(part) for part in values]


def _number(text: str) -> float | str:
    """The shortest decimal that gives the element; as text for NaN and infinities, which JSON lacks."""
    return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(text) or float(text)


def _date(value: np.datetime64) -> str | int:
    """A date, or its count where NumPy cannot write it as a date, as in ``M8[25s]``."""
    try:
        return str(np.datetime_as_string(value))
    except OverflowError:
        return int(value.view("<i8"))


def _counts(values: AnyArray) -> list[int | None]:
    gone = np.isnat(values)
    return [None if none else count for none, count in zip(gone, values.view("<i8").tolist(), strict=True)]
