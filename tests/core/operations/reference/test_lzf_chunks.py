"""Chunks of LZF that imagecodecs cannot decode without their size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import h5py
import imagecodecs
import numpy as np
import pytest

import zarrcore as zc
from tests.core.codecs.registered_imagecodecs import HAS_VERSION_3, register
from tests.core.operations.reference.readers import assert_equal, by_zarr, written
from zarrcore.errors import UnsupportedError
from zarrcore.operations.reference import lzf_chunks
from zarrcore.operations.reference.lzf_chunks import LzfChunks, loosely_packed
from zarrcore.typing import AnyArray


def _file(path: Path, filler: int, fill_value: int, **options: Any) -> AnyArray:
    values = np.full((45, 33), filler, "i4")
    values[:10, :10] = np.arange(100).reshape(10, 10) // 3 * 1001
    with h5py.File(path, "w") as file:
        options = {"chunks": (10, 10), "compression": "lzf", "fillvalue": fill_value, **options}
        file.create_dataset("x", data=values, **options)
    return values


@pytest.fixture(autouse=True)
def registered() -> None:
    """Let zarr-python decode what references name."""
    register()


def _check(source: Path, values: AnyArray) -> tuple[int, int]:
    counts = set()
    for zarr_format in (2, 3) if HAS_VERSION_3 else (2,):
        path, result = written(source, zarr_format)
        counts.add((result.references, result.inlined))
        assert_equal(zc.open_hierarchy(path)["x"][...], values)
        assert_equal(by_zarr(path, zarr_format)["x"][...], values)
    (found,) = counts
    return found


@pytest.mark.parametrize("options", [{}, {"shuffle": True, "fletcher32": True}], ids=["alone", "with others"])
def test_tiny_chunks_are_copied_or_left_out(tmp_path: Path, options: dict[str, Any]) -> None:
    values = _file(tmp_path / "a.h5", 7, 0, **options)
    references, inlined = _check(tmp_path / "a.h5", values)
    assert references + inlined == 20
    assert inlined >= 15
    values = _file(tmp_path / "b.h5", 7, 7, **options)
    references, inlined = _check(tmp_path / "b.h5", values)
    assert references < 10
    assert inlined == 0


def test_chunks_that_were_inlined_are_encoded_again(tmp_path: Path) -> None:
    values = _file(tmp_path / "a.h5", 7, 0)
    path, result = written(tmp_path / "a.h5", 2, inline_nbytes=1 << 20)
    assert (result.references, result.inlined) == (0, 20)
    assert_equal(by_zarr(path, 2)["x"][...], values)


def test_too_many_tiny_chunks_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _file(tmp_path / "a.h5", 7, 0)
    monkeypatch.setattr(lzf_chunks, "MAX_NBYTES", 500)
    with pytest.raises(
        UnsupportedError, match=r"'/x' cannot be described.*imagecodecs_lzf.* too many to copy"
    ):
        written(tmp_path / "a.h5", 2)
    path, result = written(tmp_path / "a.h5", 2, skip=True)
    assert [*result.skipped] == ["/x"]
    assert [node.path for node in zc.open_hierarchy(path).walk()] == ["/"]


@pytest.mark.parametrize("nbytes", [1, 2, 7, 8, 9, 63, 400, 4096, 100_001])
def test_loosely_packed_bytes_are_decoded_without_their_size(nbytes: int) -> None:
    for data in (bytes(nbytes), (np.arange(nbytes) % 7).astype("u1").tobytes()):
        packed = loosely_packed(data)
        assert bytes(imagecodecs.lzf_decode(packed, header=False)) == data
        assert 8 * len(packed) > nbytes


def test_the_least_size_counts_checksums(tmp_path: Path) -> None:
    _file(tmp_path / "a.h5", 7, 0, shuffle=True, fletcher32=True)
    assert LzfChunks(zc.open_hierarchy(tmp_path / "a.h5")["x"]).least_nbytes == 400 // 8 + 1 + 4


def test_another_compression_is_refused(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((10,))
        properties.set_deflate(1)
        properties.set_filter(h5py.h5z.FILTER_LZF, h5py.h5z.FLAG_OPTIONAL)
        space = h5py.h5s.create_simple((10,))
        h5py.h5d.create(file.id, b"x", h5py.h5t.NATIVE_INT32, space, properties)
        file["x"][...] = np.arange(10)
    with pytest.raises(UnsupportedError, match=r"numcodecs\.zlib' with imagecodecs_lzf"):
        written(tmp_path / "a.h5", 2)
