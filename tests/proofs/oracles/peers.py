"""The other implementations: what each knows, and how it writes and reads."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final, Protocol

import numpy as np
import tensorstore
import zarr

from tests.proofs.oracles.description import Description, Knowledge, Write
from tests.zarr_python import PIPELINE_OF_ZARRS, configured, use_pipeline
from zarrcore.typing import AnyArray

Array = AnyArray

_INTEGERS: Final = ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")
_NUMBERS: Final = (*_INTEGERS, "f4", "f8")
_CORE: Final = ("?", "f2", "c8", "c16", *_NUMBERS)
_OF_NUMPY: Final = ("U3", "S5", "M8[ns]", "M8[7D]", "m8[s]")

_GZIP: Final = {"name": "gzip", "configuration": {"level": 1}}
_ZSTD: Final = {"name": "zstd", "configuration": {"level": 2, "checksum": False}}
_CHECKED_ZSTD: Final = {"name": "zstd", "configuration": {"level": -3, "checksum": True}}
_CRC32C: Final = {"name": "crc32c"}
_BZ2: Final = {"name": "numcodecs.bz2", "configuration": {"level": 1}}
_ZLIB: Final = {"name": "numcodecs.zlib", "configuration": {"level": 1}}
_XZ: Final = {
    "name": "numcodecs.lzma",
    "configuration": {"format": 1, "check": -1, "preset": 2, "filters": None},
}


def _blosc(cname: str, shuffle: str) -> dict[str, Any]:
    configuration = {"cname": cname, "clevel": 5, "shuffle": shuffle, "blocksize": 0}
    return {"name": "blosc", "configuration": configuration}


_BLOSC: Final = (
    _blosc("lz4", "shuffle"),
    _blosc("zstd", "bitshuffle"),
    _blosc("lz4hc", "noshuffle"),
    _blosc("zlib", "shuffle"),
)
_V3: Final = (_GZIP, _ZSTD, _CHECKED_ZSTD, _CRC32C, *_BLOSC)
_V2: Final = (_GZIP, _ZSTD, _ZLIB, _BZ2, *_BLOSC)
_N5: Final = (_GZIP, _BZ2, _XZ, *_BLOSC[:3])

Codecs = tuple[Mapping[str, Any], ...]


def _without(codecs: Codecs, *absent: Mapping[str, Any]) -> Codecs:
    return tuple(codec for codec in codecs if codec not in absent)


def _of_numcodecs(codec: Mapping[str, Any]) -> dict[str, Any]:
    """A codec in the words of Zarr v2."""
    options = dict(codec["configuration"])
    name = codec["name"].removeprefix("numcodecs.")
    if name == "zstd":
        del options["checksum"]
    if name == "blosc":
        del options["typesize"]  # here it is always that of the elements
        options["shuffle"] = ("noshuffle", "shuffle", "bitshuffle").index(options["shuffle"])
    return {"id": name, **options}


def _v2_metadata(description: Description) -> dict[str, Any]:
    return {
        "zarr_format": 2,
        "shape": description.shape,
        "chunks": description.chunk_shape,
        "dtype": description.stored_dtype.str,
        "order": "F" if description.order else "C",
        "compressor": next(map(_of_numcodecs, description.compressors), None),
        "filters": None,
        "fill_value": _json_number(description.fill_value),
        "dimension_separator": description.separator,
    }


def _v3_metadata(description: Description) -> dict[str, Any]:
    before, to_bytes, after = description.v3_codecs()
    codecs = [*before, to_bytes, *after]
    if description.shard_shape:
        configuration = {
            "chunk_shape": description.chunk_shape,
            "codecs": codecs,
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}],
        }
        codecs = [{"name": "sharding_indexed", "configuration": configuration}]
    shape = description.shard_shape or description.chunk_shape
    return {
        "shape": description.shape,
        "data_type": description.dtype.name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": shape}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": description.separator}},
        "fill_value": _json_number(description.fill_value),
        "codecs": codecs,
    }


def _json_number(value: Any) -> Any:
    """A fill value as JSON: complex numbers as pairs, and names of numbers that JSON lacks."""
    if value.dtype.kind == "c":
        return [_json_number(value.real), _json_number(value.imag)]
    if value.dtype.kind != "f" or np.isfinite(value):
        return value.item()
    return "NaN" if np.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _n5_metadata(description: Description) -> dict[str, Any]:
    return {
        "dimensions": description.shape[::-1],
        "blockSize": description.chunk_shape[::-1],
        "dataType": description.dtype.name,
        "compression": next(map(_of_n5, description.compressors), {"type": "raw"}),
    }


def _of_n5(codec: Mapping[str, Any]) -> dict[str, Any]:
    """A codec in the words of N5."""
    options = codec["configuration"]
    match codec["name"].removeprefix("numcodecs."):
        case "gzip":
            return {"type": "gzip", "level": options["level"]}
        case "bz2":
            return {"type": "bzip2", "blockSize": options["level"]}
        case "lzma":
            return {"type": "xz", "preset": options["preset"]}
        case name:
            return {
                "type": name,
                **{key: _of_numcodecs(codec)[key] for key in ("cname", "clevel", "shuffle")},
            }


class Peer(Protocol):
    """Another implementation."""

    knowledge: Mapping[str, Knowledge]
    """What it reads and writes, by format."""

    def create(self, path: Path, description: Description) -> None:
        """Create an array."""

    def write(self, path: Path, description: Description, change: Write) -> None:
        """Write elements."""

    def read(self, path: Path, format_name: str) -> Array:
        """All elements."""


@dataclass(frozen=True)
class ZarrPython:
    """zarr-python with one of its codec pipelines."""

    pipeline: str
    knowledge: Mapping[str, Knowledge]

    @contextmanager
    def _configured(self) -> Iterator[None]:
        with use_pipeline(self.pipeline), configured():
            yield

    def create(self, path: Path, description: Description) -> None:
        before, to_bytes, after = description.v3_codecs()
        options: dict[str, Any]
        if description.format == "v2":
            compressor = next(map(_of_numcodecs, description.compressors), None)
            order = "F" if description.order else "C"
            options = {
                "dtype": description.stored_dtype,
                "order": order,
                "compressors": compressor,
                "filters": None,
            }
        else:
            codecs = {"filters": before, "serializer": to_bytes, "compressors": after}
            options = {"dtype": description.dtype, "shards": description.shard_shape, **codecs}
        encoding = {"v2": "v2", "v3": "default"}[description.format]
        with self._configured():
            zarr.create_array(
                path,
                zarr_format=int(description.format[1:]),
                shape=description.shape,
                chunks=description.chunk_shape,
                fill_value=description.fill_value,
                chunk_key_encoding={"name": encoding, "separator": description.separator},
                **options,
            )

    def write(self, path: Path, description: Description, change: Write) -> None:
        with self._configured():
            zarr.open_array(path)[change.region] = change.values(description)

    def read(self, path: Path, format_name: str) -> Array:
        with self._configured():
            array = zarr.open_array(path, mode="r", zarr_format=int(format_name[1:]))
            return np.asarray(array[...], array.dtype)  # without dimensions, it returns an element


class TensorStore:
    """tensorstore. Its N5 dimensions are in N5's order, which is the reverse of zarrscope's."""

    knowledge: ClassVar = {
        "v2": Knowledge(_CORE, _without(_V2, _GZIP), orders=True),
        "v3": Knowledge(_CORE, _V3, shards=True, orders=True, max_compressors=2),
        "n5": Knowledge(_NUMBERS, _N5, ("big",), ("/",), fill_values=False, min_ndim=1),
    }

    def create(self, path: Path, description: Description) -> None:
        of_format = {"v2": _v2_metadata, "v3": _v3_metadata, "n5": _n5_metadata}[description.format]
        self._open(path, description.format, metadata=of_format(description), create=True)

    def write(self, path: Path, description: Description, change: Write) -> None:
        store, values = self._open(path, description.format), change.values(description)
        if description.format == "n5":
            store = store.T
        store[change.region].write(values).result()

    def read(self, path: Path, format_name: str) -> Array:
        found = np.asarray(self._open(path, format_name).read().result())
        return found.T if format_name == "n5" else found

    def _open(self, path: Path, format_name: str, **options: Any) -> Any:
        driver = {"v2": "zarr", "v3": "zarr3", "n5": "n5"}[format_name]
        spec = {"driver": driver, "kvstore": {"driver": "file", "path": f"{path}/"}, **options}
        return tensorstore.open(spec).result()


class Z5py:
    """z5py. A fill value is a 64-bit float in it, and a chunk is never longer than the array.

    To replace a part of a chunk of N5 that extends beyond the array, it takes the stored elements for those within the array.
    """

    _common: ClassVar = {"fill_values": False, "min_ndim": 1, "min_length": 1, "fits": True}
    knowledge: ClassVar = {
        "v2": Knowledge(_NUMBERS, (_GZIP, _ZLIB, _BZ2, _ZSTD), ("little",), **_common),
        "v3": Knowledge(_NUMBERS, (_GZIP, _ZSTD), ("little",), shards=True, **_common),
        "n5": Knowledge(_NUMBERS, _N5, ("big",), ("/",), whole_edges=True, **_common),
    }
    _names: ClassVar = {"numcodecs.zlib": "zlib", "numcodecs.bz2": "bzip2", "numcodecs.lzma": "xz"}

    def create(self, path: Path, description: Description) -> None:
        codec = next(iter(description.compressors), {"name": "raw"})
        options: dict[str, Any] = {}
        if description.shard_shape:
            options["shards"] = description.shard_shape
        self._root(path, description.format, description.separator).create_dataset(
            path.name,
            shape=description.shape,
            dtype=description.dtype,
            chunks=description.chunk_shape,
            compression=self._names.get(codec["name"], codec["name"]),
            **options,
        )

    def write(self, path: Path, description: Description, change: Write) -> None:
        self._root(path, description.format)[path.name][change.region] = change.values(description)

    def read(self, path: Path, format_name: str) -> Array:
        return np.asarray(self._root(path, format_name)[path.name][...])

    def _root(self, path: Path, format_name: str, separator: str = ".") -> Any:
        options = {} if format_name == "n5" else {"zarr_format": int(format_name[1:])}
        z5py = importlib.import_module("z5py")  # there are packages for one kind of processor only
        is_zarr = format_name != "n5"
        return z5py.File(path.parent, "a", use_zarr_format=is_zarr, dimension_separator=separator, **options)


_BY_ZARR_PYTHON: Final = {
    "v2": Knowledge((*_CORE, *_OF_NUMPY), _V2, orders=True),
    "v3": Knowledge((*_CORE, *_OF_NUMPY), _V3, shards=True, orders=True, max_compressors=2),
}
# zarrs exchanges the parts of complex numbers in big-endian order. It cannot read a part of a chunk if Blosc follows gzip,
# Zstandard or Blosc: it drops the end of what Blosc decodes if that is not a multiple of the size of the elements.
_BY_ZARRS: Final = {
    "v3": Knowledge(
        ("?", "f2", *_NUMBERS),
        _V3,
        shards=True,
        orders=True,
        max_compressors=2,
        apart=frozenset({("gzip", "blosc"), ("zstd", "blosc"), ("blosc", "blosc")}),
    )
}
PEERS: Final[Mapping[str, Peer]] = {
    "zarr-python": ZarrPython("BatchedCodecPipeline", _BY_ZARR_PYTHON),
    "zarr-python-fused": ZarrPython("FusedCodecPipeline", _BY_ZARR_PYTHON),
    "zarrs": ZarrPython(PIPELINE_OF_ZARRS, _BY_ZARRS),
    "tensorstore": TensorStore(),
    "z5py": Z5py(),
}
"""All of them, by name."""
