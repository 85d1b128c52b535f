"""Virtual datasets, compared with what h5py reads."""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import zarrcore
from tests.command import run_inside
from tests.core.stores.hdf5 import files
from tests.servers.distant import distant_server
from zarrcore.errors import StoreError, UnsupportedError, ZarrError
from zarrcore.stores.wrapper.interface import listable

UNLIMITED = h5py.h5s.UNLIMITED
FRAMES = np.arange(4 * 6 * 7, dtype="i4").reshape(4, 6, 7)


def write_sources(folder: Path, **options: Any) -> None:
    """``s0.h5`` to ``s3.h5`` with one frame each."""
    for number, frame in enumerate(FRAMES):
        with h5py.File(folder / f"s{number}.h5", "w") as file:
            file.create_dataset("g/d", data=frame, **{"chunks": (2, 3), "compression": "gzip", **options})


def stacked(length: int = 4, **options: Any) -> h5py.VirtualLayout:
    """Frames one after another."""
    layout = h5py.VirtualLayout((length, 6, 7), "i4", **options)
    for number in range(length):
        layout[number] = h5py.VirtualSource(f"s{number}.h5", "g/d", (6, 7))
    return layout


@pytest.mark.sampled(5)
@pytest.mark.parametrize("generation", files.GENERATIONS)
@pytest.mark.parametrize("source", [{}, {"chunks": None, "compression": None}])
def test_frames_of_other_files(tmp_path: Path, generation: str, source: dict[str, Any]) -> None:
    write_sources(tmp_path, **source)
    with h5py.File(tmp_path / "v.h5", "w", **files.GENERATIONS[generation]) as file:
        file.create_virtual_dataset("all", stacked(), fillvalue=-1)
        file.create_virtual_dataset("some", stacked(6), fillvalue=-1)
        layout = h5py.VirtualLayout((24, 14), ">f8")
        for number in range(4):
            layout[number::4, 7:] = h5py.VirtualSource(f"s{number}.h5", "g/d", (6, 7))
            layout[[3 - number, 9 + number], :7] = h5py.VirtualSource(f"s{number}.h5", "g/d", (6, 7))[2:4]
        file.create_virtual_dataset("woven", layout)
        file["own"] = np.arange(5)
        layout = h5py.VirtualLayout((2, 5), "i8")
        layout[1] = h5py.VirtualSource(file["own"])
        file.create_virtual_dataset("of the same file", layout)
        layout = h5py.VirtualLayout((6,), "i4")
        layout[:] = h5py.VirtualSource(file["all"])[2, :, 3]
        file.create_virtual_dataset("of a virtual one", layout)
    assert files.assert_same(tmp_path / "v.h5") == 6
    with zarrcore.open_hierarchy(tmp_path / "v.h5") as hierarchy:
        expected = (1, 2, 3) if not source else (1, 6, 7)
        assert hierarchy["all"].chunk_shape == expected
    checked = run_inside("check", tmp_path / "v.h5")
    assert checked.status == 0, checked.text


def test_every_type(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "s.h5", "w") as file:
        files.write_types(file)
    with h5py.File(tmp_path / "s.h5") as file, h5py.File(tmp_path / "v.h5", "w") as virtual:
        for name in (
            "texts",
            "ragged",
            "bytes",
            "packed",
            "nested",
            "enumeration",
            "bool",
            "arrays",
            "opaque",
        ):
            source = file[name]
            # Types as the file has them: h5py would make others of them.
            plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
            space = source.id.get_space()
            plist.set_virtual(space, b"s.h5", name.encode(), space)
            h5py.h5d.create(virtual.id, name.encode(), source.id.get_type(), space, plist)
    assert files.assert_same(tmp_path / "v.h5") == 9


@pytest.mark.parametrize(
    ("source", "target"), [("i4", "u1"), ("u1", "i2"), ("f8", "f4"), ("i8", "f4"), ("<i2", ">i2")]
)
def test_types_are_converted_as_by_hdf5(tmp_path: Path, source: str, target: str) -> None:
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["s"] = (np.arange(-300, 300) * 1.37).clip(0 if "u" in source else -np.inf).astype(source)
        layout = h5py.VirtualLayout((600,), target)
        layout[:] = h5py.VirtualSource(file["s"])
        file.create_virtual_dataset("v", layout)
    assert files.assert_same(tmp_path / "v.h5") == 2


def test_types_that_are_not_converted_are_one_line(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["s"] = np.arange(4.0)
        layout = h5py.VirtualLayout((4,), "i2")
        layout[:] = h5py.VirtualSource(file["s"])
        file.create_virtual_dataset("v", layout)
    with (
        zarrcore.open_hierarchy(tmp_path / "v.h5") as hierarchy,
        pytest.raises(ZarrError, match="its source has the type float64"),
    ):
        hierarchy["v"][...]


@st.composite
def selections(draw: st.DrawFn, length: int) -> tuple[slice, int]:
    """A slice, and its number of elements."""
    start, step = draw(st.integers(0, length - 1)), draw(st.integers(1, 3))
    number = draw(st.integers(1, -(-(length - start) // step)))
    return slice(start, start + (number - 1) * step + 1, step), number


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_mappings_of_slices(tmp_path: Path, data: st.DataObject) -> None:
    shape = tuple(data.draw(st.integers(1, 9)) for _ in range(data.draw(st.integers(1, 3))))
    path = tmp_path / "v.h5"
    with h5py.File(path, "w", **data.draw(st.sampled_from([*files.GENERATIONS.values()]))) as file:
        layout, is_taken = h5py.VirtualLayout(shape, "i2"), np.zeros(shape, bool)
        for number in range(data.draw(st.integers(0, 3))):
            here, lengths = zip(*(data.draw(selections(length)) for length in shape), strict=True)
            there, source_shape = [], []
            for length in lengths:
                start, step = data.draw(st.integers(0, 3)), data.draw(st.integers(1, 3))
                there.append(slice(start, start + (length - 1) * step + 1, step))
                source_shape.append(start + length * step + data.draw(st.integers(0, 2)))
            if data.draw(st.booleans()):
                at = data.draw(st.integers(0, len(there)))
                there.insert(at, 1)
                source_shape.insert(at, 3)
            chunks = tuple(data.draw(st.integers(1, length)) for length in source_shape)
            elements = np.arange(math.prod(source_shape)).reshape(source_shape) + 1000 * number
            source = file.create_dataset(f"s{number}", data=elements, chunks=chunks)
            # If selections overlap, the HDF5 library does not always write fill values.
            if not is_taken[here].any():
                is_taken[here] = True
                layout[here] = h5py.VirtualSource(source)[tuple(there)]
        file.create_virtual_dataset("v", layout, fillvalue=-7)
    files.assert_same(path)
    with zarrcore.open_hierarchy(path) as hierarchy:
        store = hierarchy.store
        keys = {entry.key for entry in listable(store).list_prefix("v/c/")}
        grid = np.ndindex(*(-(-n // c) for n, c in zip(shape, hierarchy["v"].chunk_shape, strict=True)))
        stored = {"v/c/" + "/".join(map(str, index)) for index in grid}
        assert keys == {key for key in stored if store.get(key) is not None}


def place_endless(file: h5py.File, name: str, mappings: list[tuple[Any, str, Any]]) -> None:
    """A virtual dataset of unlimited selections: start, stride and block here, and there."""
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    for here, source, there in mappings:
        spaces = []
        for start, stride, block in (here, there):
            space = h5py.h5s.create_simple((1, 2), (UNLIMITED, 2))
            space.select_hyperslab((start, 0), (UNLIMITED, 1), (stride, 1), (block, 2))
            spaces.append(space)
        plist.set_virtual(spaces[0], source.encode(), b"d", spaces[1])
    plist.set_fill_value(np.array(-1, "i8"))
    space = h5py.h5s.create_simple((1, 2), (UNLIMITED, 2))
    h5py.h5d.create(file.id, name.encode(), h5py.h5t.NATIVE_INT64, space, plist)


def test_unlimited_datasets_end_where_their_sources_do(tmp_path: Path) -> None:
    for number, length in enumerate((3, 5, 4)):
        with h5py.File(tmp_path / f"s{number}.h5", "w") as file:
            values = np.arange(length * 2).reshape(length, 2) + 100 * number
            file.create_dataset("d", data=values, maxshape=(None, 2), chunks=(2, 2))
    with h5py.File(tmp_path / "v.h5", "w", libver="v110") as file:
        sources = [
            h5py.VirtualSource(f"s{number}.h5", "d", (1, 2), maxshape=(None, 2)) for number in range(4)
        ]
        layout = h5py.VirtualLayout((1, 3, 2), "i8", maxshape=(None, 3, 2))
        for number in range(3):
            layout[0:UNLIMITED, number] = sources[number][0:UNLIMITED]
        file.create_virtual_dataset("side by side", layout, fillvalue=-1)
        place_endless(file, "woven", [((n, 4, 1), f"s{n}.h5", (0, 1, 1)) for n in range(4)])
        place_endless(file, "by steps", [((3, 2, 1), "s1.h5", (1, 2, 1))])
        place_endless(
            file, "within a block", [((1, 5, 2), "s0.h5", (0, 1, 1)), ((3, 5, 2), "s2.h5", (1, 1, 1))]
        )
        place_endless(file, "by blocks", [((1, 5, 2), "s1.h5", (1, 1, 1)), ((3, 5, 2), "s2.h5", (0, 2, 2))])
        layout = h5py.VirtualLayout((5, 2), "i8", maxshape=(None, 2))
        layout[0:UNLIMITED] = h5py.VirtualSource("none.h5", "d", (1, 2), maxshape=(None, 2))[0:UNLIMITED]
        file.create_virtual_dataset("nothing", layout)
    with h5py.File(tmp_path / "v.h5") as file:
        assert file["side by side"].shape == (5, 3, 2)
        assert len(file["woven"]) > 12
    assert files.assert_same(tmp_path / "v.h5") == 6


def test_names_with_the_number_of_a_block(tmp_path: Path) -> None:
    write_sources(tmp_path)
    os.rename(tmp_path / "s3.h5", tmp_path / "s4.h5")  # a gap ends the dataset
    with h5py.File(tmp_path / "v.h5", "w", libver="v110") as file:
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        space = h5py.h5s.create_simple((1, 6, 7), (UNLIMITED, 6, 7))
        space.select_hyperslab((0, 0, 0), (UNLIMITED, 1, 1), (1, 6, 7), (1, 6, 7))
        plist.set_virtual(space, b"s%b.h5", b"g/d", h5py.h5s.create_simple((6, 7)))
        plist.set_fill_value(np.array(-1, "i4"))
        h5py.h5d.create(file.id, b"v", h5py.h5t.NATIVE_INT32, space, plist)
    with h5py.File(tmp_path / "v.h5") as file:
        assert file["v"].shape == (3, 6, 7)
    assert files.assert_same(tmp_path / "v.h5") == 1


def test_a_source_that_appears_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.hdf5.elsewhere.files._CHECKED_EACH_S", -1)
    write_sources(tmp_path)
    os.rename(tmp_path / "s1.h5", tmp_path / "later.h5")
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file.create_virtual_dataset("v", stacked(), fillvalue=-1)
    with zarrcore.open_hierarchy(tmp_path / "v.h5") as hierarchy:
        assert (hierarchy["v"][1] == -1).all()
        assert (hierarchy["v"][2] == FRAMES[2]).all()
    os.rename(tmp_path / "later.h5", tmp_path / "s1.h5")
    with zarrcore.open_hierarchy(tmp_path / "v.h5") as hierarchy:
        assert (hierarchy["v"][1] == FRAMES[1]).all()


def test_sources_on_a_server(tmp_path: Path) -> None:
    (tmp_path / "bucket").mkdir()
    write_sources(tmp_path / "bucket")
    with h5py.File(tmp_path / "bucket/v.h5", "w") as file:
        file.create_virtual_dataset("v", stacked())
    with distant_server(tmp_path) as server:
        for place, options in (("s3://", server.s3_options), (f"{server.url}/", {})):
            with zarrcore.open_hierarchy(f"{place}bucket/v.h5", **options) as hierarchy:
                assert np.array_equal(hierarchy["v"][...], FRAMES)
                assert hierarchy["v"].chunk_shape == (1, 2, 3)


def test_a_virtual_dataset_that_leads_to_itself_says_so(tmp_path: Path) -> None:
    for own, other in (("a", "b"), ("b", "a"), ("c", "c")):
        with h5py.File(tmp_path / f"{own}.h5", "w") as file:
            layout = h5py.VirtualLayout((4,), "i4")
            layout[:] = h5py.VirtualSource("." if own == other else f"{other}.h5", "v", (4,))
            file.create_virtual_dataset("v", layout)
    for name in ("a", "c"):
        with (
            zarrcore.open_hierarchy(tmp_path / f"{name}.h5") as hierarchy,
            pytest.raises(UnsupportedError, match="leads to itself"),
        ):
            hierarchy["v"]


def test_mappings_that_do_not_fit_say_so(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "v.h5", "w") as file:
        file["s"] = np.arange(6)
        for name, length, there in (("more", 8, slice(0, 8)), ("whole", 8, slice(None))):
            layout = h5py.VirtualLayout((8,), "i8")
            layout[:] = h5py.VirtualSource(".", "s", (length,))[there]
            file.create_virtual_dataset(name, layout)
        layout = h5py.VirtualLayout((2, 3), "i8")
        plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        plist.set_virtual(h5py.h5s.create_simple((2, 3)), b".", b"s", h5py.h5s.create_simple((6,)))
        h5py.h5d.create(file.id, b"other shape", h5py.h5t.NATIVE_INT64, h5py.h5s.create_simple((2, 3)), plist)
    with zarrcore.open_hierarchy(tmp_path / "v.h5") as hierarchy:
        with pytest.raises(StoreError, match="is smaller"):
            hierarchy["more"][...]
        with pytest.raises(StoreError, match="is smaller"):
            hierarchy["whole"][...]
        with pytest.raises(UnsupportedError, match="reshapes its sources"):
            hierarchy["other shape"]
