"""The storage of each node, compared with the sizes of the files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import zarrcore as zc
from zarrcore.errors import ListingUnsupportedError
from zarrcore.operations.usage import usage
from zarrcore.stores import MemoryStore, PrefixStore
from zarrcore.stores.interface import StoreEntry


def fill(made: Any) -> None:
    made.create_group("/g/empty")
    for path in ("/g/x", "/y"):
        array = made.create_array(path, shape=(9, 9), dtype="int32", chunks=(4, 4))
        array[...] = np.arange(81).reshape(9, 9)


def files_below(folder: Path) -> tuple[int, int]:
    """The number of files, and the sum of their sizes."""
    sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
    return len(sizes), sum(sizes)


@pytest.mark.parametrize("format_", ["v3", "v2", "n5"])
def test_numbers_are_those_of_the_files(tmp_path: Path, format_: str) -> None:
    with zc.create(tmp_path / "a", format_) as made:
        fill(made)
    if format_ != "n5":
        zc.open_hierarchy(tmp_path / "a", "r+").consolidate()
    found = usage(zc.open_hierarchy(tmp_path / "a"))
    by_path = {node.path: node for node in found.nodes}
    assert found.nodes[0].path == "/"
    for path, node in by_path.items():
        assert (node.keys, node.stored_nbytes) == files_below(tmp_path / "a" / path[1:]), path
    assert {path: node.nbytes for path, node in by_path.items()} == {
        "/": 648, "/g": 324, "/g/empty": 0, "/g/x": 324, "/y": 324
    }  # fmt: skip
    assert found.other.keys == 0


def test_a_part_of_a_hierarchy(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a") as made:
        fill(made)
    found = usage(zc.open_hierarchy(tmp_path / "a"), "/g")
    assert [node.path for node in found.nodes] in (["/g", "/g/empty", "/g/x"], ["/g", "/g/x", "/g/empty"])
    assert (found.nodes[0].keys, found.nodes[0].stored_nbytes) == files_below(tmp_path / "a" / "g")


def test_keys_of_no_node_are_counted_apart(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a") as made:
        fill(made)
    before = files_below(tmp_path / "a")
    for name in ("notes.txt", "g/x/more.bin", "other/deep/1", "other/deep/2"):
        (tmp_path / "a" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "a" / name).write_bytes(b"abc")
    found = usage(zc.open_hierarchy(tmp_path / "a"))
    assert (found.nodes[0].keys, found.nodes[0].stored_nbytes) == before
    assert (found.other.keys, found.other.stored_nbytes, len(found.other.examples)) == (4, 12, 3)
    assert set(found.other.examples) < {"notes.txt", "g/x/more.bin", "other/deep/1", "other/deep/2"}


def test_chunks_outside_the_grid_count_for_the_array(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a") as made:
        fill(made)
        made["/y"].resize((4, 4), erase_chunks=False)
    found = {node.path: node for node in usage(zc.open_hierarchy(tmp_path / "a")).nodes}
    assert (found["/y"].keys, found["/y"].stored_nbytes) == files_below(tmp_path / "a" / "y")
    assert found["/y"].nbytes == 64


def test_the_bytes_of_strings_are_not_known_before_they_are_read() -> None:
    made = zc.create(MemoryStore())
    made.create_array("/s", shape=(2,), dtype="string")[...] = "ab"
    made.create_array("/x", shape=(2,), dtype="int8")
    found = {node.path: (node.nbytes, node.is_partial) for node in usage(made).nodes}
    assert found == {"/": (2, True), "/s": (None, False), "/x": (2, False)}


def test_all_keys_below_a_broken_node_count_for_it(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a") as made:
        fill(made)
    (tmp_path / "a/y/zarr.json").write_text("{")
    found = usage(zc.open_hierarchy(tmp_path / "a"))
    node = next(node for node in found.nodes if node.path == "/y")
    assert (node.kind, node.keys, node.stored_nbytes) == ("broken", *files_below(tmp_path / "a" / "y"))
    assert found.other.keys == 0


def test_a_collection_adds_up_its_hierarchies(tmp_path: Path) -> None:
    for name, format_ in (("one.zarr", "v3"), ("below/two.zarr", "v2")):
        with zc.create(tmp_path / name, format_) as made:
            fill(made)
    (tmp_path / "below/two.zarr/stray").write_bytes(b"ab")
    found = usage(zc.open_hierarchy(tmp_path))
    by_path = {node.path: node for node in found.nodes}
    keys, nbytes = files_below(tmp_path)
    assert (by_path["/"].keys, by_path["/"].stored_nbytes) == (keys - 1, nbytes - 2)
    assert by_path["/one.zarr"].stored_nbytes == files_below(tmp_path / "one.zarr")[1]
    assert found.other.examples == ["below/two.zarr/stray"]


def test_an_array_that_several_paths_lead_to_counts_once(tmp_path: Path) -> None:
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["far"] = np.arange(1000)
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["g/x"] = np.arange(1000)
        file["hard"], file["soft"] = file["g/x"], h5py.SoftLink("/g/x")
        file["again"] = file["g"]
        file["far"], file["near"] = [h5py.ExternalLink("other.h5", "far")] * 2
        file["equal"] = np.arange(1000)
    with zc.open_hierarchy(tmp_path / "a.h5") as hierarchy:
        for top in ("/", "/again"):
            found = {node.path: node for node in usage(hierarchy, top).nodes}
            first = {path for path, node in found.items() if node.kind == "array" and node.same_as is None}
            assert first == ({"/again/x", "/far", "/equal"} if top == "/" else {"/again/x"})
            assert all(node.same_as in {None, "/again/x", "/far"} for node in found.values())
            assert found[top].nbytes == 8000 * len(first)
            assert 8000 * len(first) <= found[top].stored_nbytes < 8000 * len(first) + 4000
    with zc.open_hierarchy(PrefixStore(zc.open_store(tmp_path / "a.h5"), "again/")) as below:
        assert usage(below).nodes[0].nbytes == 8000


class WithoutSizes(MemoryStore):
    """A store whose listing has no sizes for some keys."""

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        for entry in super().list_prefix(prefix):
            yield replace(entry, size=None) if "/c/" in entry.key else entry


def test_sizes_that_a_listing_lacks_are_asked_for() -> None:
    found = []
    for store in (MemoryStore(), WithoutSizes()):
        made = zc.create(store)
        fill(made)
        told: list[tuple[str, int]] = []
        found.append(usage(made, progress=lambda what, done, _total: told.append((what, done))).nodes)  # noqa: B023
        assert told[-1] == ("keys", found[-1][0].keys)
    assert found[0] == found[1]


class WithoutListing(MemoryStore):
    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        raise ListingUnsupportedError("no listing", url=self.url)


def test_a_store_that_cannot_list_is_refused() -> None:
    made = zc.create(WithoutListing())
    with pytest.raises(ListingUnsupportedError):
        usage(made)
