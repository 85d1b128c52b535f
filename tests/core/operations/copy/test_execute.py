"""A copy holds the same values in any format; zarr-python and tensorstore read it."""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore as zc
from tests.conftest import Written
from tests.core.operations.copy.copying import DATA, EXPECTED, copy, read_by_tensorstore, read_by_zarr
from zarrcore.stores import open_store
from zarrcore.stores.memory import MemoryStore


@pytest.mark.parametrize("to", ["v3", "v2", "n5"])
def test_to_another_format(source: Path, tmp_path: Path, to: str) -> None:
    target = tmp_path / "target"
    result = copy(source, target, to=to)
    assert (result.groups, result.arrays, result.nbytes) == (2, 2, 2 * DATA.nbytes)
    for read in (read_by_tensorstore, *([read_by_zarr] if to != "n5" else [])):
        assert np.array_equal(read(target / "a"), EXPECTED)
        assert np.array_equal(read(target / "g/s"), DATA)
    copied = zc.open_hierarchy(target)
    assert copied.format.name == to
    assert copied["/"].attributes["title"] == "µ"
    assert copied["g"].attributes["kind"] == "inner"
    assert copied["a"].attributes["unit"] == "mm"
    assert copied["a"].dimension_names == (("y", "x") if to != "n5" else copied["a"].dimension_names)
    assert copied["a"].chunk_shape == (5, 12)
    assert copied["g/s"].inner_chunk_shape == (4, 6)
    assert list((target).glob(".zarrscope*")) == [], "the marker is gone"


def test_groups_of_version_2_without_documents_are_copied(tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "s", zarr_format=2)
    zarr.create_array(tmp_path / "s/A/1/0", data=DATA, chunks=(5, 12), zarr_format=2)
    (tmp_path / "s/A/.zattrs").write_text('{"who": "me"}')
    result = copy(tmp_path / "s", tmp_path / "t", to="v3")
    assert (result.groups, result.arrays, result.left.count) == (3, 1, 0)
    assert np.array_equal(read_by_zarr(tmp_path / "t/A/1/0"), DATA)
    assert zarr.open_group(tmp_path / "t/A", mode="r").attrs.asdict() == {"who": "me"}
    assert sorted(path for path, _ in zarr.open_group(tmp_path / "t", mode="r").members(max_depth=None)) == [
        "A",
        "A/1",
        "A/1/0",
    ]


@settings(max_examples=60)
@given(data=st.data())
def test_any_chunks_to_any_others(data: st.DataObject) -> None:
    shape = data.draw(st.lists(st.integers(0, 9), max_size=3).map(tuple))
    lengths = st.tuples(*(st.integers(1, 6) for _ in shape))
    values = np.arange(1, 1 + math.prod(shape), dtype="i2").reshape(shape)
    if shape:
        values[data.draw(st.integers(0, 9)) :] = 0  # chunks that are missing
    store, target = MemoryStore(), MemoryStore()
    made = zc.create(store, data.draw(st.sampled_from(["v3", "v2"])))
    made.create_array("x", shape=shape, dtype="int16", chunks=data.draw(lengths) if shape else None)
    if values.size:
        made["x"][...] = values
    to = data.draw(st.sampled_from(["v3", "v2", "n5"] if shape and values.size else ["v3", "v2"]))
    memory = data.draw(st.sampled_from([20_000, 1 << 20]))
    copy(store, target, to=to, chunk_shape=data.draw(lengths) if shape else None, memory_nbytes=memory)
    assert np.array_equal(zc.open_hierarchy(target)["x"][...], values)


def test_every_array_of_a_hierarchy(hierarchy: Written, tmp_path: Path) -> None:
    """As zarr-python reads them, where it knows the type."""
    copy(hierarchy.path, tmp_path / "t", to="v3")
    wrong, read = {}, 0
    for path, expected in hierarchy.expected.items():
        try:
            found = read_by_zarr(tmp_path / "t" / path[1:])
        except (ValueError, zarr.errors.UnknownCodecError):
            found = np.asarray(zc.open_hierarchy(tmp_path / "t")[path][...])
        else:
            read += 1
        if found.tobytes() != expected.tobytes():
            wrong[path] = (found.dtype, expected.dtype)
    assert wrong == {}
    assert read > 90


def test_strings(tmp_path: Path) -> None:
    values = np.array([["a", "", "größe"], ["x" * 1000, "y", "z"]], dtype=np.dtypes.StringDType())
    with warnings.catch_warnings(action="ignore"):
        zarr.create_array(tmp_path / "v3", data=values, chunks=(1, 2))
        for to in ("v2", "v3"):
            copy(tmp_path / "v3", tmp_path / f"to-{to}", to=to)
            assert zarr.open_array(tmp_path / f"to-{to}")[...].tolist() == values.tolist()


def test_from_and_to_zip(source: Path, tmp_path: Path) -> None:
    with open_store(tmp_path / "t.zip", create=True) as target:
        copy(source, target)
    copy(tmp_path / "t.zip", tmp_path / "out", to="v2")
    assert np.array_equal(read_by_zarr(tmp_path / "out/a"), EXPECTED)


def test_consolidated_metadata_on_request(source: Path, tmp_path: Path) -> None:
    copy(source, tmp_path / "t", consolidate=True)
    with warnings.catch_warnings(action="ignore"):
        opened = zarr.open_consolidated(tmp_path / "t")
        assert {name for name, _ in opened.members(max_depth=None)} == {"a", "g", "g/s"}
        assert np.array_equal(opened["a"][...], EXPECTED)
