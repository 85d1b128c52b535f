"""``pcodec`` between us and zarr-python, which knows it in both versions, and zarrs, which packs complex numbers too."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
import zarr
import zarr.codecs.numcodecs
from numcodecs.pcodec import PCodec

import zarrcore as zc
from zarrcore.formats import format_named
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores import MemoryStore
from zarrcore.stores.local.store import LocalStore
from zarrcore.typing import AnyArray

NUMBERS = np.random.default_rng(7).integers(-1000, 1000, (5, 7))
TYPES = ("<i2", "<u8", "<f2", "<f4", "<f8", "<M8[ns]", ">M8[s]", "<m8[D]")


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with warnings.catch_warnings(action="ignore"):  # zarr-python's, about names that are in no specification
        yield


def values(dtype: str) -> AnyArray:
    return NUMBERS.astype("i8").astype(dtype)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", TYPES)
def test_version_2_of_zarr_python(tmp_path: Path, dtype: str, order: Any) -> None:
    theirs = zarr.create_array(
        tmp_path / "x",
        shape=(5, 7),
        chunks=(3, 4),
        dtype=dtype,
        order=order,
        zarr_format=2,
        compressors=PCodec(level=4),
    )
    theirs[...] = values(dtype)
    ours = zc.open_hierarchy(tmp_path / "x", "r+")["/"]
    assert np.array_equal(ours[...], values(dtype))
    ours[1:] = values(dtype)[::-1][1:]
    assert np.array_equal(theirs[1:], values(dtype)[::-1][1:])


@pytest.mark.sampled(8)
@pytest.mark.parametrize("to", ["v2", "v3"])
@pytest.mark.parametrize("dtype", TYPES)
def test_copies_of_version_2_keep_pcodec(tmp_path: Path, dtype: str, to: str) -> None:
    options: dict[str, Any] = {"zarr_format": 2, "filters": [], "compressors": PCodec(level=4)}
    zarr.create_array(tmp_path / "x", shape=(5, 7), chunks=(3, 4), dtype=dtype, **options)[...] = values(
        dtype
    )
    source = zc.open_hierarchy(tmp_path / "x")
    execute(plan_copy(source, to=format_named(to)), source, LocalStore(tmp_path / "y", create=True))
    copied = zarr.open_array(tmp_path / "y", mode="r")
    assert np.array_equal(copied[...], values(dtype))
    if to == "v2":
        kept = {file: json.loads((tmp_path / file / ".zarray").read_text()) for file in ("x", "y")}
        assert kept["y"]["compressor"] == kept["x"]["compressor"]
        assert kept["y"]["dtype"] == kept["x"]["dtype"]


def test_filters_and_further_compression_in_version_2(tmp_path: Path) -> None:
    options: dict[str, Any] = {"zarr_format": 2, "compressors": PCodec()}
    filtered = zarr.create_array(
        tmp_path / "f", shape=(5, 7), chunks=(3, 4), dtype="<i4", filters=[numcodecs.Delta("<i4")], **options
    )
    filtered[...] = NUMBERS
    assert np.array_equal(zc.open_hierarchy(tmp_path / "f")["/"][...], NUMBERS)
    # If pcodec is not the last member of a chain, the chain is in the filters.
    chunk = np.ascontiguousarray(NUMBERS[:, :4], "<i4")
    encoded = numcodecs.Zlib(3).encode(PCodec().encode(chunk))
    document = {
        "zarr_format": 2,
        "shape": [5, 4],
        "chunks": [5, 4],
        "dtype": "<i4",
        "fill_value": 0,
        "order": "C",
        "filters": [PCodec().get_config()],
        "compressor": {"id": "zlib", "level": 3},
    }
    store = MemoryStore(values={".zarray": json.dumps(document).encode(), "0.0": bytes(encoded)})
    array = zc.open_hierarchy(store)["/"]
    assert np.array_equal(array[...], chunk)
    written = json.loads(zc.Format.V2.encode(array.metadata)[0] or b"")
    assert (written["filters"], written["compressor"]) == (document["filters"], document["compressor"])


@pytest.mark.parametrize("dtype", ["<c8", "<c16", "<f4"])
def test_zarrs_reads_and_writes_the_same(tmp_path: Path, dtype: str) -> None:
    numbers = (NUMBERS + 1j * NUMBERS[::-1] if dtype[1] == "c" else NUMBERS).astype(dtype)
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}):
        theirs = zarr.create_array(
            tmp_path,
            shape=(5, 7),
            chunks=(3, 4),
            dtype=dtype,
            serializer=zarr.codecs.numcodecs.PCodec(level=4),
            compressors=None,
        )
        theirs[...] = numbers
        ours = zc.open_hierarchy(tmp_path, "r+")["/"]
        assert np.array_equal(ours[...], numbers)
        ours[...] = numbers[::-1]
        assert np.array_equal(theirs[...], numbers[::-1])


def test_version_3_of_zarr_python_has_times(tmp_path: Path) -> None:
    serializer = zarr.codecs.numcodecs.PCodec(level=4)
    options: dict[str, Any] = {
        "shape": (5, 7),
        "chunks": (3, 4),
        "serializer": serializer,
        "compressors": None,
    }
    theirs = zarr.create_array(tmp_path, dtype="<M8[us]", **options)
    theirs[...] = values("<M8[us]")
    ours = zc.open_hierarchy(tmp_path, "r+")["/"]
    assert np.array_equal(ours[...], values("<M8[us]"))
    ours[...] = values("<M8[us]")[::-1]
    assert np.array_equal(theirs[...], values("<M8[us]")[::-1])
