"""Opening and making hierarchies in every mode."""

from __future__ import annotations

from pathlib import Path

import pytest
import zarr

import zarrcore
from tests.core.hierarchy.written import array, paths
from zarrcore.array import Array
from zarrcore.errors import (
    HierarchyNotFoundError,
    NodeExistsError,
    ReadOnlyError,
    StoreNotFoundError,
    UnsupportedError,
)
from zarrcore.stores import MemoryStore, ReadOnlyStore


class TestModes:
    def test_a_hierarchy_is_made_in_an_empty_place(self, tmp_path: Path) -> None:
        for mode in ("r", "r+"):
            with pytest.raises(StoreNotFoundError):
                zarrcore.open_hierarchy(tmp_path / "new", mode)
            assert not (tmp_path / "new").exists()
        for name, mode in enumerate(("a", "w", "w-")):
            made = zarrcore.open_hierarchy(tmp_path / "deep" / str(name), mode)
            assert made.format.name == "v3"
            assert isinstance(zarr.open(tmp_path / "deep" / str(name), mode="r"), zarr.Group)

    def test_an_existing_hierarchy_is_opened(self, tmp_path: Path) -> None:
        array(zarrcore.create(tmp_path, "v2"))[...] = 5
        for mode in ("r", "r+", "a"):
            opened = zarrcore.open_hierarchy(tmp_path, mode)
            assert opened.format.name == "v2"
            assert opened.read_only is (mode == "r")
        with pytest.raises(NodeExistsError, match="a hierarchy of Zarr v2"):
            zarrcore.open_hierarchy(tmp_path, "w-")
        with pytest.raises(NodeExistsError):
            zarrcore.create(tmp_path)
        assert paths(zarrcore.open_hierarchy(tmp_path)) == ["/", "/x"]
        assert paths(zarrcore.create(tmp_path, overwrite=True)) == ["/"]
        assert [path.name for path in tmp_path.iterdir()] == ["zarr.json"]

    def test_a_hierarchy_is_overwritten_by_one_of_the_same_format(self, tmp_path: Path) -> None:
        for _ in range(2):
            made = zarrcore.create(tmp_path, overwrite=True)
            assert paths(made) == ["/"]
            array(made)

    def test_formats_are_not_mixed_in_one_hierarchy(self, tmp_path: Path) -> None:
        zarrcore.create(tmp_path, "v3")
        with pytest.raises(NodeExistsError, match="already exists, as a hierarchy of Zarr v3"):
            zarrcore.open_hierarchy(tmp_path, "a", "v2")
        assert [path.name for path in tmp_path.iterdir()] == ["zarr.json"]
        (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
        assert zarrcore.open_hierarchy(tmp_path, "a", "v2").format.name == "v2"

    def test_other_data_is_never_erased(self, tmp_path: Path) -> None:
        (tmp_path / "thesis.txt").write_text("three years of work")
        with pytest.raises(NodeExistsError, match=r"holds thesis\.txt"):
            zarrcore.open_hierarchy(tmp_path, "w")
        with pytest.raises(HierarchyNotFoundError):
            zarrcore.open_hierarchy(tmp_path, "r+")
        assert (tmp_path / "thesis.txt").exists()

    def test_a_folder_with_a_hierarchy_in_it_is_not_erased(self, tmp_path: Path) -> None:
        array(zarrcore.create(tmp_path / "data/n5", "n5"))
        (tmp_path / "data/n5/attributes.json").unlink()
        assert zarrcore.open_hierarchy(tmp_path / "data/n5").format.name == "n5"
        with pytest.raises(NodeExistsError, match="is not a hierarchy and is not overwritten"):
            zarrcore.open_hierarchy(tmp_path / "data/n5", "w")
        assert (tmp_path / "data/n5/x/attributes.json").exists()

    @pytest.mark.parametrize(
        ("key", "value", "kind"),
        [
            ("repo", "ICE🧊CHUNK".encode() + bytes(30), "an Icechunk repository"),
            ("info", b'{"@type": "neuroglancer_multiscale_volume", "scales": []}', "a Neuroglancer volume"),
            (".zmetadata", b'{"metadata": {}, "record_size": 10}', "a folder of references"),
        ],
    )
    def test_nothing_is_written_beside_the_keys_of_another_kind(
        self, key: str, value: bytes, kind: str
    ) -> None:
        """A document at the root would hide what is there."""
        store = MemoryStore(values={key: value})
        for mode in ("r+", "a", "w-"):
            with pytest.raises(ReadOnlyError, match=f"is {kind}, which is read-only here"):
                zarrcore.open_hierarchy(store, mode)
        with pytest.raises(NodeExistsError, match="is not a hierarchy and is not overwritten"):
            zarrcore.open_hierarchy(store, "w")
        assert [entry.key for entry in store.list()] == [key]

    def test_links_to_other_places_are_not_erased(self, tmp_path: Path) -> None:
        (tmp_path / "links").mkdir()
        (tmp_path / "links/elsewhere").symlink_to(tmp_path)
        zarrcore.open_hierarchy(tmp_path / "links", "w")
        assert (tmp_path / "links/elsewhere").is_symlink()

    def test_an_unknown_mode_is_refused(self) -> None:
        with pytest.raises(UnsupportedError, match="mode 'x' is unknown; known are r, r\\+, a, w, w-"):
            zarrcore.open_hierarchy(MemoryStore(), "x")

    def test_reading_only_refuses_every_change(self) -> None:
        store = MemoryStore()
        array(zarrcore.create(store))
        reader = zarrcore.open_hierarchy(store)
        node = reader["/x"]
        assert isinstance(node, Array)
        changes = [
            lambda: reader.create_group("g"),
            lambda: reader.create_array("g", shape=(), dtype="i1"),
            lambda: reader.erase("/x"),
            lambda: reader.consolidate(),
            lambda: node.resize((1, 1)),
            lambda: setattr(node, "attributes", {}),
            lambda: setattr(reader.root, "attributes", {}),
            lambda: node.write(..., 1),
        ]
        for change in changes:
            with pytest.raises(ReadOnlyError, match="mode 'r\\+'"):
                change()
        with pytest.raises(ReadOnlyError, match="cannot be written"):
            zarrcore.open_hierarchy(ReadOnlyStore(store), "r+")


def test_a_store_that_is_already_open_takes_no_options() -> None:
    with pytest.raises(TypeError, match="already open takes no options, found attributes"):
        zarrcore.create(MemoryStore(), attributes={"a": 1})
