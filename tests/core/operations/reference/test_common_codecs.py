"""HDF5 filters in references: what the HDF5 library wrote, read by fsspec with zarr-python, and by zarrscope."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import h5py
import hdf5plugin
import numpy as np
import pytest

import zarrcore as zc
from tests.core.codecs.registered_imagecodecs import HAS_B2ND, HAS_VERSION_3, register
from tests.core.operations.reference.readers import assert_equal, by_zarr, written
from zarrcore.errors import UnsupportedError
from zarrcore.formats import Format
from zarrcore.operations.reference.common_codecs import hdf5_codecs
from zarrcore.typing import AnyArray

Elements = AnyArray
FILTERS: dict[str, dict[str, Any]] = {
    "lzf": {"compression": "lzf"},
    "lzf and others": {"compression": "lzf", "shuffle": True, "fletcher32": True},
    "lz4": dict(hdf5plugin.LZ4()),
    "lz4 in blocks": {"shuffle": True, "fletcher32": True, **hdf5plugin.LZ4(nbytes=64)},
    "deflate and others": {"compression": "gzip", "shuffle": True, "fletcher32": True},
    "szip": {"compression": "szip"},
    "blosc": dict(hdf5plugin.Blosc(cname="zstd", shuffle=2)),
    "zstd": dict(hdf5plugin.Zstd()),
}
ONLY_V2: dict[str, dict[str, Any]] = (
    {
        "blosc2": dict(hdf5plugin.Blosc2()),
        "blosc2 after shuffle": {"shuffle": True, **hdf5plugin.Blosc2(cname="lz4")},
    }
    if HAS_B2ND
    else {}
)
REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "bitshuffle with lz4": (dict(hdf5plugin.Bitshuffle(cname="lz4")), "hdf5.bitshuffle"),
    "bitshuffle": (dict(hdf5plugin.Bitshuffle(cname="none")), "hdf5.bitshuffle"),
    "scaleoffset": ({"scaleoffset": 0}, "hdf5.scaleoffset"),
    "blosc2 and fletcher32": ({"fletcher32": True, **hdf5plugin.Blosc2()}, "hdf5.blosc2"),
}
BOTH = (2, 3) if HAS_VERSION_3 else (2,)


@pytest.fixture(autouse=True)
def registered() -> None:
    """Let zarr-python decode what references name."""
    register()


def _values(dtype: str, shape: tuple[int, ...] = (50, 41)) -> Elements:
    return (np.arange(np.prod(shape)) // 4 * 7 % 97).astype(dtype).reshape(shape)


def _file(path: Path, values: Elements, skip: bool = False, **options: Any) -> Path:
    """A file with one dataset; a chunk of it skipped the first filter."""
    chunks = tuple(max(1, length // 3) for length in values.shape)
    with h5py.File(path, "w") as file:
        made = file.create_dataset("x", values.shape, values.dtype, chunks=chunks, **options)
        if skip:
            stored = np.ascontiguousarray(values[tuple(map(slice, chunks))]).tobytes()
            made.id.write_direct_chunk((0,) * values.ndim, stored, 1)
            for start in range(0, values.shape[0], chunks[0]):  # whole chunks except the first
                made[start : start + chunks[0], chunks[1] if not start else 0 :] = values[
                    start : start + chunks[0], chunks[1] if not start else 0 :
                ]
        else:
            made[...] = values
    return path


def _check(source: Path, values: Elements, zarr_format: int) -> Any:
    path, result = written(source, zarr_format)
    assert_equal(zc.open_hierarchy(path)["x"][...], values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert_equal(by_zarr(path, zarr_format)["x"][...], values)
    return result


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["u1", ">i2", "<f8"])
@pytest.mark.parametrize("name", [*FILTERS, *ONLY_V2])
def test_filters_have_codecs(tmp_path: Path, name: str, dtype: str) -> None:
    values = _values(dtype)
    source = _file(tmp_path / "a.h5", values, **FILTERS.get(name, ONLY_V2.get(name, {})))
    for zarr_format in BOTH if name in FILTERS else (2,):
        result = _check(source, values, zarr_format)
        assert result.references + result.inlined == 16
        assert not result.inlined or "lzf" in name  # at the edge, where chunks are filled up
    if name in ONLY_V2:
        with pytest.raises(UnsupportedError, match=r"'Zarr v3' cannot describe .*hdf5\.blosc2"):
            written(source, 3)


@pytest.mark.parametrize("block", [0, 16])
def test_bitshuffle_of_single_bytes(tmp_path: Path, block: int) -> None:
    values = _values("i1")
    source = _file(tmp_path / "a.h5", values, **hdf5plugin.Bitshuffle(nelems=block, cname="none"))
    for zarr_format in BOTH:
        assert _check(source, values, zarr_format).references == 16


@pytest.mark.parametrize("name", ["lzf", "lz4", "bitshuffle", *(["blosc2"] if HAS_B2ND else [])])
def test_chunks_that_skipped_a_filter_are_copied(tmp_path: Path, name: str) -> None:
    values = _values("u1")
    options = {**FILTERS, **ONLY_V2, "bitshuffle": dict(hdf5plugin.Bitshuffle(cname="none"))}[name]
    source = _file(tmp_path / "a.h5", values, skip=True, **options)
    for zarr_format in BOTH if name not in ONLY_V2 else (2,):
        result = _check(source, values, zarr_format)
        assert result.references + result.inlined == 16
        assert result.inlined == 1 or name == "lzf"


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("name", REFUSED)
def test_filters_without_a_codec_are_refused_by_name(tmp_path: Path, name: str, zarr_format: int) -> None:
    options, codec = REFUSED[name]
    source = _file(tmp_path / "a.h5", _values("<i4"), **options)
    with pytest.raises(UnsupportedError, match=rf"cannot describe its chunks, which use .*{codec}"):
        written(source, zarr_format)


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_sequences_of_blosc2_are_refused(tmp_path: Path, zarr_format: int) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("x", data=np.arange(1000.0), chunks=(100,), **hdf5plugin.Blosc2())
    with pytest.raises(UnsupportedError, match=r"hdf5\.blosc2"):
        written(tmp_path / "a.h5", zarr_format)


def test_arrays_with_common_codecs_keep_them(tmp_path: Path) -> None:
    metadata = zc.open_hierarchy(_file(tmp_path / "a.h5", _values("<i4"), compression="gzip"))["x"].metadata
    for to in (Format.V2, Format.V3):
        assert hdf5_codecs(metadata, to) == (metadata.codecs, None)
