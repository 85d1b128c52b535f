"""The file as a whole: any part equals that of the written file, and only requested chunks are read."""

from __future__ import annotations

import io
from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import zarrcore
from tests.core.filetypes.hdf5.reading import opened, written
from tests.hierarchies import values
from zarrcore.filetypes.hdf5 import HDF5File, skeleton
from zarrcore.stores.interface import ByteRange, BytesLike
from zarrcore.stores.memory import MemoryStore

TYPES = ("u1", "<f4", "<f2", "<c16", "?", "S3", "<U2", "<M8[ns]", [("a", "<i2"), ("b", "S3")])


class Counting(MemoryStore):
    """Records its requests."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.asked.append(key)
        return super().get(key, byte_range)

    def chunks(self) -> set[str]:
        """The chunks that were requested since the last call."""
        asked, self.asked = self.asked, []
        return {key for key in asked if not key.endswith("zarr.json")}


@st.composite
def hierarchies(draw: st.DrawFn) -> zarrcore.Hierarchy:
    hierarchy = zarrcore.create(
        "memory://", chunk_cache=zarrcore.ChunkCache(draw(st.sampled_from([0, 1 << 20])))
    )
    for number in range(draw(st.integers(0, 4))):
        shape = tuple(draw(st.lists(st.integers(0, 6), max_size=3)))
        data = values(draw(st.sampled_from(TYPES)), shape)
        data = data.astype(data.dtype.newbyteorder("<"))
        path = draw(st.sampled_from(["/", "/g/", "/g/h/"])) + f"a{number}"
        chunk = tuple(draw(st.integers(1, 4)) for _ in shape)
        names = draw(st.sampled_from([None, list("xyz")[: len(shape)]]))
        array = hierarchy.create_array(
            path, shape=shape, dtype=data.dtype, chunks=chunk, dimension_names=names
        )
        array[...] = data
    return hierarchy


@given(hierarchy=hierarchies(), netcdf=st.booleans(), data=st.data())
def test_any_part_equals_that_of_the_written_file(
    hierarchy: zarrcore.Hierarchy, netcdf: bool, data: st.DataObject
) -> None:
    file = HDF5File(hierarchy["/"], netcdf=netcdf)
    stream, told = io.BytesIO(), []
    file.write_to(stream, told.append)
    whole = stream.getvalue()
    assert file.size == len(whole) == sum(told)
    for _ in range(5):
        offset, length = data.draw(st.integers(0, len(whole) + 3)), data.draw(st.integers(0, len(whole) + 3))
        buffer = memoryview(bytearray(b"?" * length))
        taken = file.readinto(offset, buffer)
        assert buffer[:taken] == whole[offset : offset + length]
        assert file.read(offset, length) == whole[offset : offset + length]
        assert file.cached(offset, length) in (True, False)
        begin, end, plane, slab = file.array_at(offset)
        assert begin <= offset < end or offset >= file.size
        assert 0 <= plane <= end - begin or offset >= file.size
        assert not plane or not slab % plane
        if file.cached(offset, 1 << 20):
            file.prefetch(offset, length)
    assert HDF5File(hierarchy["/"], netcdf=netcdf).read(0, file.size) == whole, (
        "a file made again is the same"
    )
    with h5py.File(io.BytesIO(whole), "r") as read:
        for node in hierarchy.walk():
            if isinstance(node, zarrcore.Array) and not netcdf:
                found = np.asarray(read[node.path][...])
                if node.dtype.kind == "U":
                    assert np.strings.decode(found, "utf-8").tolist() == node[...].tolist()
                else:
                    assert found.tobytes() == node[...].tobytes()


def test_reading_a_dataset_reads_its_chunks_only() -> None:
    store = Counting()
    hierarchy = zarrcore.create(store)
    for name in "ab":
        hierarchy.create_array(f"/g/{name}", shape=(6, 2**12), dtype="f4", chunks=(2, 2**12))[...] = 1
    hierarchy.create_array("/g/c", shape=(), dtype="f4", attributes={"text": "x" * 70_000})[...] = 1
    hierarchy = zarrcore.open_hierarchy(store)
    store.chunks()
    for netcdf in (False, True):
        with opened(hierarchy["/"], netcdf=netcdf) as file:
            found: list[str] = []
            file.visit(found.append)
            assert {"g", "g/a", "g/b"} <= set(found)
            assert store.chunks() == set()
            assert np.all(file["g/b"][2:4] == 1)
            assert store.chunks() == {"g/b/c/1/0"}
            assert file["g/c"][()] == 1
            assert store.chunks() == {"g/c/c"}


def test_cached_ranges_are_reported_and_prefetched() -> None:
    hierarchy = zarrcore.create("memory://", chunk_cache=zarrcore.ChunkCache(1 << 20))
    hierarchy.create_array("/a", shape=(4, 50), dtype="f2", chunks=(2, 50))[...] = 1
    for netcdf in (False, True):
        hierarchy.chunk_cache.clear()
        file = HDF5File(hierarchy["/"], netcdf=netcdf)
        begin = file.read(0, file.size).tobytes().index(np.ones(1, "<f4" if netcdf else "<f2").tobytes() * 3)
        hierarchy.chunk_cache.clear()
        itemsize = 4 if netcdf else 2
        assert file.cached(0, begin), "the skeleton is always ready"
        assert not file.cached(0, begin + 1)
        file.prefetch(0, begin + 1)
        assert file.cached(0, begin + 100 * itemsize)
        assert not file.cached(begin, 101 * itemsize)


def test_the_file_of_an_array_has_its_coordinates(tmp_path: Path) -> None:
    hierarchy = zarrcore.create("memory://")
    for name, names in {"t": ["y", "x"], "lat": ["y", "x"], "x": ["x"], "other": ["y", "x"]}.items():
        attributes = {"coordinates": "lat nothing"} if name == "t" else {}
        shape = (3, 4) if len(names) == 2 else (4,)
        hierarchy.create_array(
            f"/g/{name}", shape=shape, dtype="i2", dimension_names=names, attributes=attributes
        )[...] = 3
    with opened(hierarchy["/g/t"]) as file:
        assert set(file) == {"t", "lat", "x", "y"}
        assert file["t"].dims[1][0].name == "/x"


def test_an_array_at_the_root_has_a_file() -> None:
    hierarchy = zarrcore.create("memory://")
    hierarchy.create_array("/", shape=(3,), dtype="i2", dimension_names=["x"], attributes={"a": 1})[...] = [
        1,
        2,
        3,
    ]
    with opened(hierarchy["/"]) as file:
        assert file["array"][...].tolist() == [1, 2, 3]
        assert file["array"].attrs["a"] == 1


def test_content_that_hdf5_cannot_hold_is_reported_and_omitted() -> None:
    store = MemoryStore()
    hierarchy = zarrcore.create(store)
    hierarchy.create_array("/text", shape=(2,), dtype="string")
    hierarchy.create_array("/good", shape=(2,), dtype="u1")[...] = 7
    hierarchy.create_array("/deep", shape=(1,) * 40, dtype="u1")
    hierarchy.create_array("/large1", shape=(2**61,), dtype="u1", chunks=(2**20,))
    hierarchy.create_array("/large2", shape=(2**62 + 2**61,), dtype="u1", chunks=(2**20,))
    store.set("broken/zarr.json", b'{"zarr_format": 3, "node_type": "array"}')
    store.set("junk/zarr.json", b"{")
    for netcdf in (False, True):
        with opened(zarrcore.open_hierarchy(store)["/"], netcdf=netcdf) as file:
            told = dict(line.split(": ", 1) for line in file.attrs["_zarrscope_left_out"])
            assert set(told) - {"/large1", "/large2"} == {"/text", "/deep", "/broken", "/junk"}
            assert len(set(told) & {"/large1", "/large2"}) == 1, "both together are too large for a file"
            assert "variable length" in told["/text"]
            assert "shape" in told["/broken"]
            assert file["good"][...].tolist() == [7, 7]


def test_the_report_of_omitted_content_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(skeleton, "_MAX_TOLD", 10)
    hierarchy = zarrcore.create("memory://")
    for number in range(15):
        hierarchy.create_array(f"/a{number:04}", shape=(2,), dtype="string")
    with opened(hierarchy["/"]) as file:
        told = file.attrs["_zarrscope_left_out"]
        assert len(told) == 11
        assert told[-1] == "and 5 more"


def test_huge_arrays_need_no_memory(tmp_path: Path) -> None:
    hierarchy = zarrcore.create("memory://")
    for number in range(20):
        hierarchy.create_array(
            f"/a{number}", shape=(2**20, 2**20), dtype="f8", chunks=(64, 64), fill_value=0.5
        )
    file = HDF5File(hierarchy["/"])
    assert file.size > 20 << 43
    with opened(hierarchy["/"]) as read:
        assert read["a19"][2**20 - 1, 2**20 - 2 :].tolist() == [0.5, 0.5]


def test_groups_of_any_format_have_files(tmp_path: Path) -> None:
    for format_ in ("v2", "n5"):
        hierarchy = zarrcore.create(tmp_path / format_, format=format_)
        hierarchy.create_array("/g/a", shape=(3, 4), dtype="int16")[...] = np.arange(12).reshape(3, 4)
        with opened(zarrcore.open_hierarchy(tmp_path / format_)["/g"]) as file:
            assert file["a"][...].tolist() == np.arange(12).reshape(3, 4).tolist()


def test_a_collection_is_a_file(tmp_path: Path) -> None:
    for name, format_ in {"one": "v2", "two": "v3"}.items():
        zarrcore.create(tmp_path / name, format=format_).create_array("/a", shape=(1,), dtype="u1")[...] = 6
    with opened(zarrcore.open_hierarchy(tmp_path)["/"]) as file:
        assert (file["one/a"][0], file["two/a"][0]) == (6, 6)


def test_deep_groups_are_readable() -> None:
    hierarchy = zarrcore.create("memory://")
    path = "/g" * 200
    hierarchy.create_array(f"{path}/a", shape=(1,), dtype="u1")[...] = 6
    with opened(hierarchy["/"]) as file:
        assert file[f"{path}/a"][0] == 6


def test_too_many_nodes_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    hierarchy = zarrcore.create("memory://")
    for number in range(3):
        hierarchy.create_array(f"/g/a{number}", shape=(1,), dtype="u1")
    monkeypatch.setattr("zarrcore.filetypes.hdf5.contents.MAX_NODES", 4)
    assert HDF5File(hierarchy["/g"]).size > 0
    with pytest.raises(zarrcore.UnsupportedError, match="has more than 4 nodes"):
        HDF5File(hierarchy["/"])


def test_an_error_of_a_chunk_reaches_its_reader(tmp_path: Path) -> None:
    hierarchy = zarrcore.create(tmp_path / "a.zarr")
    hierarchy.create_array("/a", shape=(4,), dtype="u1", chunks=(2,))[...] = 1
    next((tmp_path / "a.zarr/a/c").iterdir()).write_bytes(b"junk")
    file = HDF5File(zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"])
    with pytest.raises(zarrcore.CodecError):
        file.read(0, file.size)
    with pytest.raises(zarrcore.SelectionError):
        file.readinto(-1, memoryview(bytearray(3)))
    with pytest.raises(zarrcore.CodecError):
        written(zarrcore.open_hierarchy(tmp_path / "a.zarr")["/"], tmp_path / "a.h5")
