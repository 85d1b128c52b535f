"""Chunks, shards and codecs of a copy."""

from __future__ import annotations

import base64
import json
import warnings
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
import tifffile
import zarr
import zarr.codecs

import zarrcore as zc
from tests.core.operations.copy.copying import DATA, EXPECTED, copy, read_by_tensorstore, read_by_zarr
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.formats import format_named
from zarrcore.metadata import NamedConfiguration
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore


@pytest.mark.parametrize("to", ["v2", "n5"])
@pytest.mark.parametrize(
    "name", ["float8_e5m2", "complex_float16", "complex_bfloat16", "complex_float8_e5m2", "int4", "bfloat16"]
)
def test_a_type_that_the_format_lacks_is_named_with_the_array(name: str, to: str) -> None:
    store = MemoryStore()
    made = zc.create(store)
    fields = [{"name": "x", "data_type": name}]
    record = {"name": "struct", "configuration": {"fields": fields}}
    for path, data_type in (("g/plain", name), ("record", record)):
        made.create_array(path, shape=(3,), dtype=data_type)
        title = "Zarr v2" if to == "v2" else "N5"
        told = data_type if isinstance(data_type, str) else "struct"
        sentence = f"array '/{path}' cannot be copied: data type '{told}' cannot be expressed in {title} .*"
        with pytest.raises(UnsupportedError, match=f"^{sentence}$"):
            copy(store, MemoryStore(), to=to)
        made.erase(path)


def test_codecs_that_do_not_fit_are_named_with_the_array() -> None:
    store = MemoryStore()
    zc.create(store).create_array("g/text", shape=(3,), dtype="string")
    with pytest.raises(MetadataError, match=r"^/g/text: .*packbits"):
        copy(store, MemoryStore(), codecs=(NamedConfiguration("packbits"),))


def test_documents_survive_a_copy_there_and_back(source: Path, tmp_path: Path) -> None:
    copy(source, tmp_path / "v2", to="v2")
    copy(tmp_path / "v2", tmp_path / "v3", to="v3")
    before, after = (json.loads((root / "a/zarr.json").read_text()) for root in (source, tmp_path / "v3"))
    for member in ("shape", "data_type", "chunk_grid", "fill_value", "dimension_names"):
        assert after[member] == before[member]
    missing = base64.standard_b64encode(np.float64(7).tobytes()).decode()  # of the Zarr v2, to xarray
    assert after["attributes"] == {**before["attributes"], "_FillValue": missing}
    assert [codec["name"] for codec in after["codecs"]] == ["bytes", "zstd"]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(
    ("layout", "names"),
    [
        ({"chunk_shape": (7, 10)}, ["bytes", "zstd"]),
        ({"chunk_shape": (8, -1)}, ["bytes", "zstd"]),
        ({"chunk_shape": (4, 6), "shard_shape": (12, 12)}, ["sharding_indexed"]),
        ({"shard_shape": (10, 24)}, ["sharding_indexed"]),
        ({"codecs": ()}, ["bytes"]),
        ({"codecs": (NamedConfiguration("gzip", {"level": 9}),)}, ["bytes", "gzip"]),
        (
            {"codecs": (NamedConfiguration("transpose", {"order": [1, 0]}), NamedConfiguration("crc32c"))},
            ["transpose", "bytes", "crc32c"],
        ),
    ],
)
@pytest.mark.parametrize("memory_nbytes", [64 << 20, 30_000])
def test_other_chunks_shards_and_codecs(
    source: Path, tmp_path: Path, layout: dict[str, Any], names: list[str], memory_nbytes: int
) -> None:
    target = tmp_path / "t"
    copy(source, target, "/a", memory_nbytes=memory_nbytes, **layout)
    document = json.loads((target / "zarr.json").read_text())
    assert [codec["name"] for codec in document["codecs"]] == names
    for read in (read_by_zarr, read_by_tensorstore):
        assert np.array_equal(read(target), EXPECTED)


@pytest.mark.parametrize(
    ("layout", "chunk_shape", "inner"),
    [
        ({}, (12, 18), (4, 6)),
        ({"codecs": ()}, (12, 18), (4, 6)),
        ({"shard_shape": ()}, (4, 6), (4, 6)),
        ({"chunk_shape": (3, 3)}, (3, 3), (3, 3)),
        ({"chunk_shape": (3, 3), "shard_shape": (6, -1)}, (6, 36), (3, 3)),
    ],
)
def test_shards_stay_unless_other_storage_is_requested(
    source: Path, tmp_path: Path, layout: dict[str, Any], chunk_shape: Any, inner: Any
) -> None:
    copy(source, tmp_path / "t", "/g/s", **layout)
    copied = zc.open_hierarchy(tmp_path / "t")["/"]
    assert (copied.chunk_shape, copied.inner_chunk_shape) == (chunk_shape, inner)
    assert np.array_equal(read_by_zarr(tmp_path / "t"), DATA)


def test_a_codec_that_the_format_lacks_is_replaced(tmp_path: Path) -> None:
    with warnings.catch_warnings(action="ignore"):
        zarr.create_array(
            tmp_path / "x",
            data=DATA,
            chunks=(5, 5),
            compressors=[zarr.codecs.Crc32cCodec(), zarr.codecs.ZstdCodec()],
        )
    hierarchy = zc.open_hierarchy(tmp_path / "x")
    for to in ("v2", "n5"):
        plan = plan_copy(hierarchy, to=format_named(to))
        execute(plan, hierarchy, LocalStore(tmp_path / to, create=True))
    assert np.array_equal(read_by_zarr(tmp_path / "v2"), DATA)
    assert np.array_equal(read_by_tensorstore(tmp_path / "n5"), DATA)


@pytest.mark.parametrize("layout", [{}, {"chunks": (2, 2)}, {"shards": (8, 8)}])
def test_a_codec_that_is_only_read_is_replaced(tmp_path: Path, layout: dict[str, Any]) -> None:
    values = np.arange(64, dtype="i4").reshape(8, 8)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file.create_dataset("lzf", data=values, chunks=(4, 4), compression="lzf")
        file.create_dataset("pairs", data=np.zeros((8, 8), "i4,f8"), chunks=(4, 4))
    result = zc.copy(tmp_path / "a.h5", tmp_path / "copy", **layout)
    assert result.arrays == 2
    assert not list(zc.diff(tmp_path / "a.h5", tmp_path / "copy"))
    for name in ("lzf", "pairs"):
        assert ("shards" in layout) == (zc.open_array(tmp_path / "copy", name).chunk_shape == (8, 8))


@pytest.mark.parametrize(
    ("to", "layout"),
    [
        ("v3", {"chunks": (5, 5)}),
        ("v2", {"chunks": (5, 5)}),
        ("v3", {"shards": (32, 32)}),
        ("v3", {"chunks": (8, 8), "shards": (16, 16)}),
    ],
)
def test_a_codec_of_one_shape_of_chunks_is_replaced(tmp_path: Path, to: str, layout: dict[str, Any]) -> None:
    tifffile.imwrite(tmp_path / "a.tif", np.arange(1024, dtype="u2").reshape(32, 32), tile=(16, 16))
    zc.copy(tmp_path / "a.tif", tmp_path / "copy", format=to, **layout)
    copied = zc.open_array(tmp_path / "copy", "0")
    assert copied.inner_chunk_shape == layout.get("chunks", (16, 16))
    assert np.array_equal(copied[:], np.arange(1024).reshape(32, 32))


def test_a_layout_that_does_not_fit_any_array_is_refused(source: Path, tmp_path: Path) -> None:
    with pytest.raises(zc.SelectionError, match="chunks of 3 dimensions"):
        copy(source, tmp_path / "t", chunk_shape=(1, 2, 3))
    with pytest.raises(zc.SelectionError, match="whole chunks"):
        copy(source, tmp_path / "t", "/a", chunk_shape=(5, 5), shard_shape=(12, 12))
