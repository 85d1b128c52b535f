"""A NetCDF-3 file in any store, as the keys of a Zarr v3 hierarchy: one group of arrays.

A variable with records has a chunk for each of its records; others are divided into rows.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Collection, Iterator
from typing import Any, NamedTuple

import numpy as np

from zarrcore.errors import StoreError, StoreNotFoundError
from zarrcore.stores.hdf5.store import Hdf5Store
from zarrcore.stores.interface import BytesLike, ReadableStore, StoreEntry
from zarrcore.stores.netcdf3.header import Header, Variable, parse_header
from zarrcore.stores.virtual.file_reader import BrokenFileError, FileReader
from zarrcore.stores.virtual.flat_file import DOCUMENT, FlatFile
from zarrcore.stores.virtual.missing_float import missing_float
from zarrcore.stores.virtual.parsed_file import FileVersion
from zarrcore.stores.virtual.row_chunks import row_chunk_shape, rows_of
from zarrcore.stores.virtual.store import Part
from zarrcore.typing import AnyArray


class _Content(NamedTuple):
    """The file as it was when its header was read."""

    header: Header
    reader: FileReader


class NetCDF3Store(FlatFile[_Content]):
    """The variables of a NetCDF-3 file as arrays. Nothing is read before the first request."""

    presents = "NetCDF-3"

    def read_content(self) -> tuple[_Content, FileVersion]:
        reader = self.take_reader()
        try:
            content = _Content(parse_header(reader), reader)
        except StoreError:
            raise
        except (ValueError, LookupError, ArithmeticError, MemoryError) as error:
            sentence = f"{self.url} is a broken NetCDF file: {error}"
            raise StoreError(sentence, key=self.key, url=self.url) from error
        return content, FileVersion(reader.nbytes, reader.version)

    def attribute_type(self, path: str, name: str) -> np.dtype[Any] | None:
        """The type of the number that an attribute of a variable holds, which JSON does not say; None if it holds none."""
        variable = self.content.header.variables.get(path.strip("/"))
        told = None if variable is None else variable.attributes.get(name)
        return (
            None if told is None or told.size != 1 or told.dtype.kind == "S" else told.dtype.newbyteorder("=")
        )

    def find(self, key: str) -> BytesLike | Part | None:
        header, reader = self.content
        if key == DOCUMENT:
            attributes = {name: shown(value) for name, value in header.attributes.items()}
            return json.dumps({"zarr_format": 3, "node_type": "group", "attributes": attributes}).encode()
        name, _, rest = key.partition("/")
        variable = header.variables.get(name)
        if variable is None:
            return None
        if rest == DOCUMENT:
            return json.dumps(document(variable)).encode()
        parts = rest.split("/")
        if parts[0] != "c" or not all(part.isascii() and part.isdigit() for part in parts[1:]):
            return None
        index = tuple(map(int, parts[1:]))
        if len(index) != len(variable.shape) or "/".join(map(str, ("c", *index))) != rest:
            return None
        return self._chunk(variable, index, header, reader, key)

    def _chunk(
        self, variable: Variable, index: tuple[int, ...], header: Header, reader: FileReader, key: str
    ) -> bytes | Part | None:
        shape, chunk_shape = variable.shape, chunk_shape_of(variable)
        if any(i * c >= n for i, c, n in zip(index, chunk_shape, shape, strict=True)):
            return None
        item = variable.dtype.itemsize
        if variable.is_record:
            start = variable.begin + index[0] * header.record_nbytes
            return Part(self.reads, self.key, start, math.prod(chunk_shape) * item)
        rows = rows_of(shape, chunk_shape, index, item)
        if rows.stored_nbytes == rows.nbytes:
            return Part(self.reads, self.key, variable.begin + rows.offset, rows.nbytes)
        try:
            data = reader.read(variable.begin + rows.offset, rows.stored_nbytes, "a variable")
        except BrokenFileError as error:
            raise StoreError(f"{key} of {self.url} cannot be read: {error}", key=key, url=self.url) from error
        return data.ljust(rows.nbytes, b"\0")

    def _start(self, variable: Variable, index: tuple[int, ...], header: Header) -> int:
        """The position of a chunk in the file."""
        if variable.is_record:
            return variable.begin + index[0] * header.record_nbytes
        rows = rows_of(variable.shape, chunk_shape_of(variable), index, variable.dtype.itemsize)
        return variable.begin + rows.offset

    def array_names(self) -> Collection[str]:
        return sorted(self.content.header.variables)

    def chunk_entries(self, name: str, prefix: str) -> Iterator[StoreEntry]:
        header, reader = self.content
        variable = header.variables[name]
        chunk_shape = chunk_shape_of(variable)
        nbytes = math.prod(chunk_shape) * variable.dtype.itemsize
        counts = [-(-n // c) for n, c in zip(variable.shape, chunk_shape, strict=True)]
        for number in range(math.prod(counts)):
            rest, places = number, list[int]()
            for count in reversed(counts):
                rest, place = divmod(rest, count)
                places.append(place)
            index = tuple(reversed(places))
            if self._start(variable, index, header) >= reader.nbytes:
                return  # a header can claim more than any file holds
            key = "/".join((name, "c", *map(str, index)))
            if key.startswith(prefix):
                yield StoreEntry(key, nbytes)


def chunk_shape_of(variable: Variable) -> tuple[int, ...]:
    """The shape of the chunks of a variable: a record, or rows."""
    if variable.is_record:
        return (1, *variable.shape[1:])
    return row_chunk_shape(variable.shape, variable.dtype.itemsize)


def shown(value: AnyArray) -> Any:
    """An attribute as JSON: text, a number, or an array of numbers."""
    if value.dtype.kind == "S":
        return value.tobytes().rstrip(b"\0").decode("utf-8", "replace")
    return value[0].item() if value.size == 1 else value.tolist()


def document(variable: Variable) -> dict[str, Any]:
    """The ``zarr.json`` of a variable, with ``_FillValue`` as xarray writes it."""
    attributes = {name: shown(value) for name, value in variable.attributes.items()}
    fill = variable.attributes.get("_FillValue")
    is_text = variable.dtype.kind == "S"
    told: Any = "" if is_text else 0
    if fill is not None and fill.dtype == variable.dtype and fill.size == 1:
        if is_text:
            told = attributes["_FillValue"] = base64.standard_b64encode(fill.tobytes()).decode()
        elif variable.dtype.kind == "f":
            number = float(fill[0])
            attributes["_FillValue"] = missing_float(number)
            told = number if math.isfinite(number) else "0x" + fill.tobytes().hex()
        else:
            told = int(fill[0])
    name = f"{'int' if variable.dtype.kind == 'i' else 'uint' if variable.dtype.kind == 'u' else 'float'}"
    text = {"name": "null_terminated_bytes", "configuration": {"length_bytes": 1}}
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": list(variable.shape),
        "data_type": text if is_text else f"{name}{8 * variable.dtype.itemsize}",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": list(chunk_shape_of(variable))}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": told,
        "codecs": [{"name": "bytes", "configuration": {"endian": "big"}}],
        "dimension_names": list(variable.dimensions),
        "attributes": attributes,
    }


def open_netcdf(source: ReadableStore, key: str, url: str) -> ReadableStore:
    """A file whose suffix does not say whether it is of NetCDF-3 or NetCDF-4, which is HDF5. Its first block is read once."""
    try:
        reader = FileReader(source, key, url)
    except StoreNotFoundError:
        return Hdf5Store(source, key, url)
    is_classic = reader.up_to(0, 3) == b"CDF"
    return (NetCDF3Store if is_classic else Hdf5Store)(source, key, url, reader)
