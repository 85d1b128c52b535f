"""References: what h5py follows is the path that is shown."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
import xarray

import zarrcore as zc
from tests.command import run_inside

DATA = np.arange(60).reshape(5, 12)


@pytest.fixture(params=["earliest", "latest"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A file with references of both kinds, in datasets and attributes."""
    with h5py.File(tmp_path / "a.h5", "w", libver=request.param) as file:
        data = file.create_dataset("g/deep/ä data", data=DATA)
        file["z"] = file["g/deep"]  # a shorter path to the same group
        gone = file.create_dataset("gone", data=[1])
        objects = file.create_dataset("objects", (2, 3), h5py.ref_dtype, chunks=(1, 2))
        objects[0, 0], objects[0, 1], objects[1, 1], objects[1, 2] = (
            data.ref,
            file["g"].ref,
            file.ref,
            gone.ref,
        )
        regions = file.create_dataset("regions", (4,), h5py.regionref_dtype)
        regions[0], regions[1], regions[2] = (
            data.regionref[1:3, 2:9:3],
            data.regionref[4, :],
            data.regionref[[0, 3], 2],
        )
        file.attrs["object"] = data.ref
        file.attrs["region"] = data.regionref[...]
        file.attrs.create("several", [data.ref, file["objects"].ref], dtype=h5py.ref_dtype)
        lists = file.create_dataset("lists", (2,), h5py.vlen_dtype(h5py.ref_dtype))
        lists[0] = np.array([data.ref, file["g"].ref], h5py.ref_dtype)
        del file["gone"]
    return tmp_path / "a.h5"


def test_objects_are_their_paths(source: Path) -> None:
    found = zc.open_array(source, "objects")[:]
    with h5py.File(source) as file:
        for index, reference in np.ndenumerate(file["objects"][()]):
            path = found[index]
            if not reference:
                assert path == ""
            elif index == (1, 2):
                assert path.startswith("an object without a path, at byte ")
            else:
                assert file[path] == file[reference]
    assert found[0, 0] == "/z/ä data"


def test_regions_are_paths_and_selections(source: Path) -> None:
    found = zc.open_array(source, "regions")[:]
    assert found.tolist() == ["/z/ä data[1:3,2:9:3]", "/z/ä data[4:5,0:12]", "/z/ä data[0:4:3,2:3]", ""]
    with h5py.File(source) as file:
        for text, reference in zip(found[:3], file["regions"][:3], strict=True):
            path, _, selection = text.partition("[")
            expected = file[reference][reference].ravel()
            selected = file[path][()][eval(f"np.s_[{selection}")]
            assert np.array_equal(selected.ravel(), expected)


def test_attributes_and_lists(source: Path) -> None:
    root = zc.open_hierarchy(source)
    assert dict(root.attributes) == {
        "object": "/z/ä data",
        "region": "/z/ä data[...]",
        "several": ["/z/ä data", "/objects"],
    }
    assert root.array("lists")[:].tolist() == ['["/z/ä data", "/g"]', "[]"]


def test_commands_and_copies(source: Path, tmp_path: Path) -> None:
    assert run_inside("cat", source, "objects", "--as", "csv").text.startswith("/z/ä data,/g,\n,/,")
    assert zc.copy(source, tmp_path / "b.zarr").arrays == 5
    copied = zc.open_array(tmp_path / "b.zarr", "objects")
    assert copied[0].tolist() == ["/z/ä data", "/g", ""]
    with xarray.open_dataset(tmp_path / "b.zarr", engine="zarrscope") as dataset:
        assert dataset["objects"].values[0, 1] == "/g"


def test_which_texts_are_references(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "b.h5", "w") as file:
        data = file.create_dataset("data", data=DATA)
        kind = np.dtype([("n", "i4"), ("to", h5py.ref_dtype), ("note", h5py.string_dtype())])
        file.create_dataset("records", (2,), kind)
        file.create_dataset("regions", (2,), h5py.regionref_dtype)
        file.create_dataset("cells", (2,), h5py.vlen_dtype(h5py.ref_dtype))
        file.attrs["object"], file.attrs["region"], file.attrs["text"] = data.ref, data.regionref[0], "/data"
        file.attrs.create("record", np.array((1, data.ref, "/data"), kind), dtype=kind)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["elsewhere"] = h5py.ExternalLink("b.h5", "/records")
    store = zc.open_store(tmp_path / "b.h5")
    assert store.references("/").attributes == {
        ("object",): False,
        ("region",): True,
        ("record", "to"): False,
    }
    assert store.references("/records").elements == {("to",): False}
    assert store.references("/regions").elements == {(): True}
    assert store.references("/cells").elements == {(): False}
    assert store.references("/data").elements == store.references("/absent").elements == {}
    linked = zc.open_store(tmp_path / "a.h5")
    assert zc.open_hierarchy(linked)["elsewhere"].kind == "array"
    assert linked.references("/elsewhere").elements == {}, "they are paths in the other file"
