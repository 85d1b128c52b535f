"""Keys that a copy leaves behind."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import zarrcore as zc
from tests.conftest import Written
from tests.core.formats.drafts.draft_writer import DRAFTS, write
from tests.core.formats.drafts.draft_writer import Array as DraftArray
from tests.core.operations.copy.copying import DATA, copy
from zarrcore.operations.copy import LeftKeys
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.memory import MemoryStore


@pytest.mark.parametrize("to", ["v3", "v2", "n5"])
def test_keys_that_belong_to_no_node_are_reported(source: Path, tmp_path: Path, to: str) -> None:
    copy(source, tmp_path / "s", to=to, consolidate=to != "n5")
    assert copy(tmp_path / "s", MemoryStore()).left == LeftKeys()
    (tmp_path / "s/g/notes").write_text("mine")
    shutil.copytree(
        tmp_path / "s/g/s", tmp_path / "s/a/hidden"
    )  # an array within another array is not a node
    (tmp_path / "s/a/0.1f2e.partial").write_bytes(b"left by a writer that was stopped")
    within = [path for path in (tmp_path / "s/a/hidden").rglob("*") if path.is_file()]
    left = copy(tmp_path / "s", MemoryStore(), to="v3").left
    assert left.count == len(within) + 1
    assert all(key == "g/notes" or key.startswith("a/hidden/") for key in left.examples)
    assert len(left.examples) == 3
    assert copy(tmp_path / "s", MemoryStore(), "/g").left == LeftKeys(1, ("g/notes",))
    assert copy(tmp_path / "s", MemoryStore(), "/g/s").left == LeftKeys()


@pytest.mark.parametrize("day", DRAFTS)
def test_keys_that_belong_to_no_node_of_a_draft_are_reported(day: str) -> None:
    values = write(day, {"/": {"n": 1}, "/g/x": DraftArray(DATA, (5, 12)), "/y": DraftArray(DATA, (24, 36))})
    assert copy(MemoryStore(values=values), MemoryStore()).left == LeftKeys()
    (chunk,) = (key for key in values if "/y/" in f"/{key}" and "zarr.json" not in key)
    lost = f"/{chunk}".replace("/y/", "/lost/")[1:]
    assert copy(MemoryStore(values={**values, lost: b""}), MemoryStore()).left == LeftKeys(1, (lost,))


def test_keys_that_belong_to_no_node_of_a_collection_are_reported(source: Path, tmp_path: Path) -> None:
    place = tmp_path / "place"
    shutil.copytree(source, place / "deep/one.zarr")
    copy(source, place / "two.n5", to="n5")
    with zc.create(place / "three.zip") as zipped:
        zipped.create_array("x", shape=(4,), dtype="int8")[...] = 1
    assert copy(place, MemoryStore(), to="v3").left == LeftKeys()
    (place / "deep/readme").write_text("")  # what lies beside hierarchies is not theirs
    (place / "two.n5/g/notes").write_text("")
    (place / "deep/one.zarr/notes").write_text("")
    assert copy(place, MemoryStore(), "/two.n5", to="v3").left == LeftKeys(1, ("two.n5/g/notes",))
    left = copy(place, MemoryStore(), to="v3").left
    assert (left.count, sorted(left.examples)) == (2, ["deep/one.zarr/notes", "two.n5/g/notes"])


def test_left_keys_are_unknown_if_the_store_cannot_list(source: Path, tmp_path: Path) -> None:
    class Unlisted(LocalStore):
        def list_prefix(self, prefix: str) -> Any:
            raise zc.ListingUnsupportedError("cannot be listed", url=self.url)

        list_dir = list_prefix

    copy(source, tmp_path / "s", consolidate=True)
    (tmp_path / "s/notes").write_text("")
    result = copy(Unlisted(tmp_path / "s"), MemoryStore())
    assert (result.arrays, result.left) == (2, LeftKeys())


def test_no_key_of_zarr_python_is_left_behind(hierarchy: Written) -> None:
    arrays = [node.path for node in zc.open_hierarchy(hierarchy.path).walk() if node.kind == "array"]
    for path in arrays[:: len(arrays) // 8]:
        assert copy(hierarchy.path, MemoryStore(), path).left == LeftKeys()
