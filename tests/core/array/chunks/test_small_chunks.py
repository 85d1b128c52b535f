"""Small chunks, read and decoded in batches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from zarrcore.codecs.pipeline import Pipeline
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
            chunk_shape=(2, 3, 4),
            data_type="uint16",
            fill_value=7,
            codecs=codecs,
        )
        array[...] = values
    return [zarrcore.open(path)[f"{number}"] for number in range(len(CODECS))], values


def bounds(length: int) -> st.SearchStrategy[Any]:
    bound = st.none() | st.integers(-length - 2, length + 2)
    return st.integers(-length, length - 1) | st.builds(
        slice, bound, bound, st.sampled_from([None, 1, 1, -1, 2, -3, 5])
    )


@settings(max_examples=80, deadline=None)
@given(selection=st.tuples(bounds(9), bounds(10), st.just(slice(None)) | bounds(40)))
def test_small_chunks_in_batches_read_as_numpy_selects(
    small: tuple[list[Any], np.ndarray], selection: tuple[Any, ...]
) -> None:
    arrays, values = small
    for array in arrays:
        assert np.array_equal(array[selection], values[selection])


def test_most_small_chunks_are_read_in_batches(
    small: tuple[list[Any], np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    arrays, values = small
    sizes: list[int] = []
    decode_batch = Pipeline.decode_batch
    monkeypatch.setattr(
        Pipeline,
        "decode_batch",
        lambda self, encoded: (sizes.append(len(encoded)), decode_batch(self, encoded))[1],
    )
    assert np.array_equal(arrays[1][...], values)
    assert sum(sizes) > 5 * 4 * 10 / 2


@pytest.mark.parametrize("broken", [b"", b"nonsense", bytes(100_000)])
def test_a_broken_chunk_of_a_batch_names_its_key(tmp_path: Path, broken: bytes) -> None:
    array = zarrcore.create(tmp_path / "a.zarr").create_array(
        "a", shape=(64, 64), chunk_shape=(4, 4), data_type="uint16"
    )
    array[...] = np.arange(64)
    (tmp_path / "a.zarr/a/c/5/6").write_bytes(broken)
    array = zarrcore.open(tmp_path / "a.zarr")["a"]
    with pytest.raises(CodecError) as caught:
        array[...]
    assert caught.value.key == "a/c/5/6"
    assert np.array_equal(array[24:], np.broadcast_to(np.arange(64), (40, 64)))
