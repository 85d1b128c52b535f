"""Small chunks, of which a thread takes many at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from zarrcore.errors import CodecError

CODECS: list[list[Any]] = [
    ["bytes"],
    [{"name": "zstd", "configuration": {"level": 1}}],
    [{"name": "gzip", "configuration": {"level": 1}}],
    [{"name": "blosc", "configuration": {"cname": "lz4"}}],
    ["crc32c", {"name": "zstd", "configuration": {"level": 1}}],
    [{"name": "bytes", "configuration": {"endian": "big"}}],
]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Any], np.ndarray]:
    """The same elements in small chunks with all codecs; one chunk is missing."""
    path = tmp_path_factory.mktemp("small") / "a.zarr"
    values = np.random.default_rng(5).integers(0, 60_000, (9, 10, 40)).astype("u2")
    values[2:4, 3:6, 8:12] = 7
    h = zarrcore.create(path)
    for number, codecs in enumerate(CODECS):
        array = h.create_array(
            f"{number}",
            shape=values.shape,
            chunks=(2, 3, 4),
            dtype="uint16",
            fill_value=7,
            codecs=codecs,
        )
        array[...] = values
    return [zarrcore.open_hierarchy(path)[f"{number}"] for number in range(len(CODECS))], values


def bounds(length: int) -> st.SearchStrategy[Any]:
    bound = st.none() | st.integers(-length - 2, length + 2)
    return st.integers(-length, length - 1) | st.builds(
        slice, bound, bound, st.sampled_from([None, 1, 1, -1, 2, -3, 5])
    )


@settings(max_examples=80, deadline=None)
@given(selection=st.tuples(bounds(9), bounds(10), st.just(slice(None)) | bounds(40)))
def test_small_chunks_read_as_numpy_selects(
    small: tuple[list[Any], np.ndarray], selection: tuple[Any, ...]
) -> None:
    arrays, values = small
    for array in arrays:
        assert np.array_equal(array[selection], values[selection])


@pytest.mark.parametrize("broken", [b"", b"nonsense", bytes(100_000)])
def test_a_broken_chunk_among_many_names_its_key(tmp_path: Path, broken: bytes) -> None:
    array = zarrcore.create(tmp_path / "a.zarr").create_array(
        "a", shape=(64, 64), chunks=(4, 4), dtype="uint16"
    )
    array[...] = np.arange(64)
    (tmp_path / "a.zarr/a/c/5/6").write_bytes(broken)
    array = zarrcore.open_hierarchy(tmp_path / "a.zarr")["a"]
    with pytest.raises(CodecError) as caught:
        array[...]
    assert caught.value.key == "a/c/5/6"
    assert np.array_equal(array[24:], np.broadcast_to(np.arange(64), (40, 64)))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("codecs", [[], ["zstd"], ["gzip", "crc32c"], ["blosc"]], ids=str)
@pytest.mark.parametrize("value", [5, 0, None])
def test_small_chunks_are_read_by_zarr_python(tmp_path: Path, codecs: list[str], value: int | None) -> None:
    array = zarrcore.create(tmp_path / "a.zarr").create_array(
        "a", shape=(30, 50), chunks=(4, 4), dtype="uint16", codecs=codecs
    )
    values = np.arange(1500, dtype=">u2").reshape(30, 50) % 97 // 48 if value is None else value
    expected = np.zeros((30, 50), "u2")
    for selection in (..., (slice(1, 30), slice(2, 44))):
        array[selection] = values if value is not None else values[selection]
        expected[selection] = values if value is not None else values[selection]
        assert np.array_equal(zarr.open(tmp_path / "a.zarr", mode="r")["a"][...], expected)
    assert (tmp_path / "a.zarr/a/c").exists() == (value != 0)
