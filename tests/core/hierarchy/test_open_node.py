"""Opening what a source names: a hierarchy, a group or an array."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import h5py
import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.core.hierarchy.stores import ARRAY, GROUP, Remote, memory
from zarrcore.stores import MemoryStore


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A hierarchy with ``/g/x``, which zarr-python wrote."""
    root = zarr.create_group(tmp_path / "a.zarr")
    root.create_array("g/x", data=np.arange(6).reshape(2, 3))
    return tmp_path / "a.zarr"


class TestOpen:
    def test_a_root_is_a_hierarchy_or_an_array(self, place: Path) -> None:
        for source in (place, str(place)):
            assert isinstance(zc.open(source), zc.Hierarchy)
        for source in (place / "g/x", f"{place}#/g/x", f"file://{place}#/g/x"):
            array = zc.open(source)
            assert isinstance(array, zc.ArrayNode)
            assert array[1].tolist() == zarr.open(place / "g/x", mode="r")[1].tolist()
        group = zc.open(f"{place}#/g")
        assert isinstance(group, zc.Group)
        assert group.path == "/g"

    def test_a_folder_of_hierarchies_is_a_collection(self, place: Path) -> None:
        assert isinstance(zc.open(place.parent), zc.Collection)
        assert [*zc.open_group(place.parent)] == ["a.zarr"]
        assert zc.open_array(place.parent, "a.zarr/g/x").shape == (2, 3)

    def test_a_node_in_a_file(self, tmp_path: Path) -> None:
        with h5py.File(tmp_path / "a.h5", "w") as file:
            file["g/x"] = [1, 2]
        assert zc.open_array(tmp_path / "a.h5", "g/x")[...].tolist() == [1, 2]
        assert zc.open(f"{tmp_path}/a.h5#/g/x").shape == (2,)

    @pytest.mark.parametrize("name", ["a#b.zarr", "a#/b.zarr"])
    def test_a_name_may_contain_a_hash(self, tmp_path: Path, name: str) -> None:
        zarr.create_group(tmp_path / name).create_array("x", data=np.arange(2))
        assert zc.open(tmp_path / name)["x"].shape == (2,)
        assert zc.open_array(f"{tmp_path / name}#/x").shape == (2,)

    def test_modes_are_those_of_the_hierarchy(self, place: Path) -> None:
        assert isinstance(zc.open(place, "w-" if not place.exists() else "a"), zc.Hierarchy)
        array = zc.open(f"{place}#/g/x", "r+")
        array[0, 0] = 9
        assert zarr.open(place, mode="r")["g/x"][0, 0] == 9

    @pytest.mark.parametrize("mode", ["a", "w", "w-"])
    def test_making_a_node_keeps_the_hierarchy_around_it(
        self, place: Path, mode: Literal["a", "w", "w-"]
    ) -> None:
        made = zc.open(f"{place}#/new/group", mode)
        assert (made.kind, made.path) == ("group", "/new/group")
        if mode == "w-":
            with pytest.raises(zc.NodeExistsError):
                zc.open(f"{place}#/g", mode)
        else:
            array = zc.open(f"{place}#/g/x", mode)
            assert array.kind == ("group" if mode == "w" else "array")
        assert {"g", "g/x", "new/group"} <= {
            name for name, _ in zarr.open_group(place, mode="r").members(None)
        }

    def test_a_hierarchy_is_not_named_like_a_node(self, place: Path) -> None:
        for call in (zc.open_hierarchy, zc.create, lambda name: zc.copy(place, name)):
            with pytest.raises(zc.SelectionError, match="names a node, /b in"):
                call(f"{place.parent}/new.zarr#/b")
        assert [entry.name for entry in place.parent.iterdir()] == [place.name]

    def test_a_broken_root_is_an_error(self) -> None:
        store = memory(**{"zarr.json": ARRAY.replace(b"int8", b"int9")})
        with pytest.raises(zc.UnsupportedError, match="int9"):
            zc.open(store)
        assert isinstance(zc.open_hierarchy(store), zc.Hierarchy)

    def test_a_named_format_without_a_root(self) -> None:
        assert zc.open(MemoryStore(), format="v3").format.name == "v3"

    @pytest.mark.parametrize("opening", ["open", "open_group", "open_hierarchy"])
    def test_the_document_of_the_root_is_requested_once(self, opening: str) -> None:
        store = Remote({"zarr.json": GROUP, "x/zarr.json": ARRAY})
        assert getattr(zc, opening)(store)["x"].shape == (4,)
        assert (store.got.count("zarr.json"), store.got.count("x/zarr.json")) == (1, 1)
        assert store.listed == []


class TestOneKind:
    def test_the_path_is_in_the_source_or_beside_it(self, place: Path) -> None:
        found = [
            zc.open_array(place, "g/x"),
            zc.open_array(place, path="/g/x"),
            zc.open_array(f"{place}#/g/x"),
            zc.open_array(f"{place}#/g", "x"),
            zc.open_array(place / "g/x"),
            zc.open_array(zc.open_store(place), "g/x"),
            zc.open_hierarchy(place).array("g/x"),
            zc.open_group(place, "g").array("x"),
            zc.open_group(place).group("g").array("x"),
        ]
        assert {array.shape for array in found} == {(2, 3)}

    def test_the_other_kind_is_an_error(self, place: Path) -> None:
        for opening in (
            lambda: zc.open_array(place, "g"),
            lambda: zc.open_array(place / "g"),
            lambda: zc.open_hierarchy(place).array("g"),
        ):
            with pytest.raises(zc.NodeKindError, match=r"is a group, not an array: open_group opens it$"):
                opening()
        with pytest.raises(TypeError, match=r"^/ in .*x/? is an array, not a group: open_array opens it$"):
            zc.open_group(place / "g/x")
        with pytest.raises(zc.NodeKindError) as caught:
            zc.open_group(place).group("g/x")
        assert (caught.value.path, caught.value.kind) == ("/g/x", "array")

    def test_an_array_is_opened_for_writing_and_never_made(self, place: Path) -> None:
        for mode in ("r+", "a"):
            zc.open_array(place, "g/x", mode)[0, 0] = 7
        for mode in ("w", "w-", "x"):
            with pytest.raises(zc.UnsupportedError, match="create_array makes one"):
                zc.open_array(place, "g/x", mode)
        with pytest.raises(zc.StoreNotFoundError):
            zc.open_array(place.parent / "none", mode="a")
        assert not (place.parent / "none").exists()
        assert zarr.open(place, mode="r")["g/x"][0].tolist() == [7, 1, 2]

    @pytest.mark.parametrize("path", [None, "p/q"])
    def test_a_group_is_made_as_zarr_python_does(self, tmp_path: Path, path: str | None) -> None:
        def made(name: str) -> list[list[str]]:
            opening = zc.open_group if name == "own" else zarr.open_group
            place, found = str(tmp_path / name), []
            for mode in ("a", "a", "w", "r+", "r"):
                group = opening(place, path=path, mode=mode)
                found.append(sorted(group))
                if mode in ("a", "w"):
                    group.create_group(f"g{len(found)}")
            return found

        assert made("own") == made("zarr") == [[], ["g1"], [], ["g3"], ["g3"]]
        with pytest.raises(zc.NodeExistsError):
            zc.open_group(tmp_path / "own", path, "w-")
        assert zc.open_group(tmp_path / "new", path, "w-").path == f"/{path or ''}"

    def test_a_node_is_closed_with_its_hierarchy(self, tmp_path: Path) -> None:
        with zc.open_group(tmp_path / "a.zip", mode="w") as group:
            group.create_group("g")
        with zc.open_group(tmp_path / "a.zip", "g") as group, zc.open(tmp_path / "a.zip") as hierarchy:
            assert group.path == "/g"
            assert [*hierarchy] == ["g"]
