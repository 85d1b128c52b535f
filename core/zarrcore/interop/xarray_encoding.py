"""How a variable is stored, in xarray's words, so that a copy by xarray is stored alike: ``Variable.encoding``.

For Zarr v3 the words are those of ``to_zarr``, for HDF5 and NetCDF-4 those of ``to_netcdf``, as in xarray's engines ``zarr`` and
``h5netcdf``. Codecs are JSON objects, which zarr-python takes as well as its own, so that opening does not load it. Of other
formats, Zarr v2 among them, only the chunks are told: xarray can write Zarr v3 with no codecs of Zarr v2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from zarrcore.formats import Format
from zarrcore.hierarchy import ArrayNode
from zarrcore.stores.hdf5.dataset import Dataset
from zarrcore.stores.hdf5.store import Hdf5Store

_SERIALIZERS: Final = frozenset({"bytes", "vlen-bytes", "vlen-utf8"})
_FILTERS: Final = frozenset(
    {"transpose"}
    | {
        f"numcodecs.{name}"
        for name in ("astype", "bitround", "delta", "fixedscaleoffset", "packbits", "quantize")
    }
)
_COMPRESSORS: Final = frozenset(
    {"blosc", "crc32c", "gzip", "zstd"}
    | {f"numcodecs.{name}" for name in ("adler32", "blosc", "bz2", "crc32", "crc32c", "fletcher32", "gzip")}
    | {f"numcodecs.{name}" for name in ("jenkins_lookup3", "lz4", "lzma", "shuffle", "zfpy", "zlib", "zstd")}
)
"""The codecs that zarr-python has. With others, ``to_zarr`` would fail."""
_PRESENTED: Final = frozenset({"", "Icechunk", "references"})
"""What stores present (see `ReadableStore.presents`) whose documents of Zarr v3 were written by a writer of Zarr v3."""
_HDF5_CODECS: Final = {
    "numcodecs.zlib": "zlib",
    "numcodecs.bz2": "bzip2",
    "zstd": "zstd",
    "numcodecs.shuffle": "shuffle",
    "numcodecs.fletcher32": "fletcher32",
}
"""The flags of netCDF for codecs of HDF5 files. Others need parameters that netCDF does not take as they are."""


def encoding_of(array: ArrayNode, dimensions: tuple[str, ...]) -> dict[str, Any]:
    """How an array is stored; of shards, the chunks inside are its chunks."""
    chunks = array.chunks
    encoding: dict[str, Any] = {
        "chunks": chunks,
        "preferred_chunks": dict(zip(dimensions, chunks, strict=True)),
    }
    if array.dtype.kind == "T":
        encoding["dtype"] = array.dtype
    if array.hierarchy.format.name == Format.V3.name and array.store.presents in _PRESENTED:
        return encoding | _as_zarr(array)
    dataset = _dataset_of(array)
    return encoding if dataset is None or array.dtype.kind == "T" else encoding | _as_netcdf(array, dataset)


def unlimited_dimensions(arrays: Iterable[tuple[tuple[str, ...], ArrayNode]]) -> set[str] | None:
    """The dimensions that may grow without a limit, of arrays with the names of their dimensions; None outside of HDF5 files."""
    found: set[str] | None = None
    for dimensions, array in arrays:
        dataset = _dataset_of(array)
        if dataset is not None:
            found = (found or set()) | {dimensions[axis] for axis in dataset.unlimited_axes}
    return found


def _as_zarr(array: ArrayNode) -> dict[str, Any]:
    """Shards and codecs as ``to_zarr`` takes them; nothing if zarr-python could not write them."""
    codecs: Sequence[Mapping[str, Any]] = array.metadata.document()["codecs"]
    if array.shards is not None:
        if len(codecs) != 1:
            return {}
        codecs = codecs[0]["configuration"]["codecs"]
    at = next((place for place, codec in enumerate(codecs) if codec["name"] in _SERIALIZERS), len(codecs))
    filters, serializer, compressors = codecs[:at], codecs[at : at + 1], codecs[at + 1 :]
    is_known = (
        bool(serializer)
        and all(codec["name"] in _FILTERS for codec in filters)
        and all(codec["name"] in _COMPRESSORS for codec in compressors)
    )
    if not is_known:
        return {"shards": array.shards}
    return {
        "shards": array.shards,
        "filters": tuple(map(_plain, filters)),
        "serializer": _plain(serializer[0]),
        "compressors": tuple(map(_plain, compressors)),
    }


def _plain(codec: Mapping[str, Any]) -> dict[str, Any]:
    return {"name": codec["name"], "configuration": dict(codec.get("configuration", {}))}


def _dataset_of(array: ArrayNode) -> Dataset | None:
    store = array.hierarchy.store
    return store.dataset(array.hierarchy.within(array.path)) if isinstance(store, Hdf5Store) else None


def _as_netcdf(array: ArrayNode, dataset: Dataset) -> dict[str, Any]:
    """Layout and filters as ``to_netcdf`` takes them."""
    encoding: dict[str, Any] = {
        "contiguous": not dataset.is_chunked,
        "chunksizes": array.chunks if dataset.is_chunked else None,
        "original_shape": array.shape,
        **dict.fromkeys(_HDF5_CODECS.values(), False),
    }
    for codec in array.metadata.document()["codecs"]:
        name = _HDF5_CODECS.get(codec["name"])
        if name is not None:
            encoding[name] = True
            if "level" in codec["configuration"]:
                encoding["complevel"] = codec["configuration"]["level"]
    return encoding
