"""Hierarchies of every draft: detected, read and copied."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.core.formats.drafts.draft_arrays import (
    ARRAY,
    SHARDED,
    UNKNOWN,
    VALUES,
    array_at,
    arrays,
    each_draft,
    entry_point,
    store_of,
)
from tests.core.formats.drafts.draft_writer import (
    CORE,
    DRAFTS,
    NEW_CORE,
    Array,
    suffix_of,
    write,
)
from zarrcore.errors import HierarchyNotFoundError, ReadOnlyError
from zarrcore.formats import FORMATS
from zarrcore.operations.check import check
from zarrcore.stores.interface import ReadableStore


class Unlistable(ReadableStore):
    """A store that only gives values, and counts how often it was asked."""

    def __init__(self, values: dict[str, bytes]) -> None:
        self.values = values
        self.asked: list[str] = []

    url = "unlistable://"

    def get(self, key: str, byte_range: Any = None, *, max_nbytes: int | None = None) -> bytes | None:
        self.asked.append(key)
        value = self.values.get(key)
        return value if value is None or byte_range is None else value[byte_range.start : byte_range.stop]

    def stat(self, key: str) -> Any:
        self.asked.append(key)
        return zarrcore.stores.StoreStat(len(self.values[key])) if key in self.values else None


@each_draft
@settings(max_examples=15)
@given(data=st.data())
def test_hierarchies_of_every_draft_read(day: str, data: st.DataObject) -> None:
    array = data.draw(arrays(day))
    path = data.draw(st.sampled_from(["/", "/a", "/a/b.c"]))
    hierarchy = zarrcore.open_hierarchy(store_of(write(day, {path: array})), format=DRAFTS[day].name)
    found = array_at(hierarchy, path)
    assert found[...].tobytes() == array.values.tobytes()
    assert (found.shape, found.dtype) == (array.values.shape, array.values.dtype)
    assert found.metadata.fill_value.tobytes() == np.asarray(array.fill).tobytes()
    assert found.attributes == array.attributes
    assert {finding.what for finding in check(hierarchy)} <= {"missing-chunks", "implicit-group"}


@each_draft
def test_nodes_are_found(day: str) -> None:
    nodes: dict[str, Any] = {"/a/b": ARRAY, "/a": {"n": 1}, "/c": ARRAY, "/d/e/f": ARRAY, "/d.e": {}}
    if day == "2023-02-21":
        nodes["/"] = {}  # without it, a group of accepted version 3 is a hierarchy by itself
    hierarchy = zarrcore.open_hierarchy(store_of(write(day, nodes)))
    assert hierarchy.format.name == ("v3" if day == "2023-02-21" else DRAFTS[day].name)
    paths = [node.path for node in hierarchy.walk()]
    assert sorted(paths) == ["/", "/a", "/a/b", "/c", "/d", "/d.e", "/d/e", "/d/e/f"]
    assert hierarchy["a"].attributes == {"n": 1}
    assert "a/x" not in hierarchy
    assert "d/e" in hierarchy
    again = pickle.loads(pickle.dumps(hierarchy))
    assert again.format == hierarchy.format
    assert array_at(again, "d/e/f")[...].tobytes() == VALUES.tobytes()
    with pytest.raises(ReadOnlyError, match="which is read-only"):
        zarrcore.open_hierarchy(store_of(write(day, {"/": ARRAY})), "r+")


@each_draft
def test_an_array_at_the_root(day: str) -> None:
    hierarchy = zarrcore.open_hierarchy(store_of(write(day, {"/": ARRAY})))
    assert hierarchy.format.name == DRAFTS[day].name
    assert [node.path for node in hierarchy.walk()] == ["/"]
    assert (array_at(hierarchy, "/")[...] == VALUES).all()


@each_draft
def test_few_requests_detect_the_format(day: str) -> None:
    """Of a store that cannot list; where it is told by an entry point, the rest are the root's documents."""
    store = Unlistable(write(day, {"/": ARRAY}))
    hierarchy = zarrcore.open_hierarchy(store)
    assert hierarchy.format.name == DRAFTS[day].name
    most = {"draft-2019-05": 7, "draft-2022-12": 6, "draft-2023-02": 1}.get(DRAFTS[day].name, 3)
    assert len([key for key in store.asked if "/c" not in key]) <= most
    assert (array_at(hierarchy, "/")[...] == VALUES).all()


@each_draft
def test_a_group_at_the_root_of_a_store_that_cannot_list(day: str) -> None:
    hierarchy = zarrcore.open_hierarchy(Unlistable(write(day, {"/": {"n": 1}, "/a": ARRAY})))
    assert hierarchy["/"].attributes == {"n": 1}
    assert (array_at(hierarchy, "a")[...] == VALUES).all()
    if DRAFTS[day].entry_point is not None:
        assert zarrcore.open_hierarchy(Unlistable(write(day, {"/a": ARRAY})))["/"].attributes == {}


def test_a_place_without_a_hierarchy_costs_few_requests() -> None:
    store = Unlistable({"a": b""})
    with pytest.raises(
        HierarchyNotFoundError, match=r"none of zarr.json, .zarray, .* meta/root.array, meta/root.group"
    ):
        zarrcore.open_hierarchy(store)
    assert len(store.asked) == len(set(store.asked)) <= 7 + 4, "four are of folders of other kinds"


@each_draft
def test_the_format_may_be_named(day: str) -> None:
    """It need not be right: of the entry point only the suffix counts then."""
    name = DRAFTS[day].name
    hierarchy = zarrcore.open_hierarchy(store_of(write(day, {"/a": ARRAY})), format=name)
    assert hierarchy.format.name == name
    assert (array_at(hierarchy, "a")[...] == VALUES).all()


def test_without_its_entry_point_a_hierarchy_reads_when_named() -> None:
    values = write("2020-10-16", {"/a": ARRAY})
    del values["zarr.json"]
    with pytest.raises(HierarchyNotFoundError):
        zarrcore.open_hierarchy(store_of(values))
    hierarchy = zarrcore.open_hierarchy(store_of(values), format="draft-2020-10")
    assert (array_at(hierarchy, "a")[...] == VALUES).all()


def test_december_2022_is_detected_by_its_keys() -> None:
    for day, prefix in (("2022-12-01", "data/root/a/"), ("2022-12-02", "data/a/")):
        for store in (store_of(write(day, {"/a": ARRAY})), Unlistable(write(day, {"/": {}, "/a": ARRAY}))):
            assert array_at(zarrcore.open_hierarchy(store), "a").chunk_key((0, 0)) == f"{prefix}c0/0"


def test_an_array_of_february_2023_below_a_group_of_today() -> None:
    found = list(check(zarrcore.open_hierarchy(store_of(write("2023-02-21", {"/": {}, "/a": ARRAY})))))
    assert [(finding.what, finding.path) for finding in found] == [("document-of-a-draft", "/a")]


def test_an_array_and_a_group_at_one_path() -> None:
    values = write("2020-10-16", {"/a": ARRAY})
    values["meta/root/a.group.json"] = b'{"attributes": {}}'
    hierarchy = zarrcore.open_hierarchy(store_of(values))
    assert isinstance(hierarchy["a"], zarrcore.Array)
    found = [(finding.what, finding.path) for finding in check(hierarchy)]
    assert found == [("array-and-group", "/a")]
    values = write("2020-10-16", {"/": ARRAY})
    assert not list(check(zarrcore.open_hierarchy(store_of(values))))


@each_draft
def test_from_the_command_line(day: str, tmp_path: Path, zarrscope: Any) -> None:
    root = tmp_path / "draft.zarr"
    sharded = {"chunks_per_shard": (2, 2)} if day in SHARDED else {}
    array = Array(VALUES, (2, 4), order="F", endian=">", attributes={"units": "m"}, **sharded)
    for key, value in write(day, {"/a": {"n": 1}, "/a/b": array, "/c": ARRAY}).items():
        (root / key).parent.mkdir(parents=True, exist_ok=True)
        (root / key).write_bytes(value)
    options = ["--format", DRAFTS[day].name]
    assert "b  5 × 6  int32" in zarrscope("tree", root, *options).text
    shown = zarrscope("info", root, "a/b", *options).text
    title = next(known.title for known in FORMATS if known.name == DRAFTS[day].name)
    assert title in shown
    assert "zarr-specs/blob/" in shown
    assert zarrscope("cat", root, "a/b", "--as", "raw", *options).stdout == VALUES.tobytes()
    assert zarrscope("check", root, *options).status == 0
    copied = zarrscope("copy", root, tmp_path / "copy.zarr", "--to", "v3", *options)
    assert (copied.status, copied.stderr) == (0, "")
    group = zarr.open_group(tmp_path / "copy.zarr", mode="r", zarr_format=3)
    for path in ("a/b", "c"):
        assert (group[path][...] == VALUES).all()
        assert dict(group[path].attrs) == {"units": "m"}


@pytest.mark.parametrize("to", ["v2", "n5"])
def test_to_other_formats(tmp_path: Path, to: str, zarrscope: Any) -> None:
    array = Array(VALUES, (2, 4), 7, 7, "F", ">", chunks_per_shard=(1, 2))
    store = store_of(write("2022-05-25", {"/a/b": array}))
    root = tmp_path / "draft"
    for entry in store.list_prefix(""):
        (root / entry.key).parent.mkdir(parents=True, exist_ok=True)
        (root / entry.key).write_bytes(store.get(entry.key) or b"")
    assert zarrscope("copy", root, tmp_path / "copy", "--to", to).status == 0
    assert (array_at(zarrcore.open_hierarchy(tmp_path / "copy"), "a/b")[...] == VALUES).all()
    (root / "zarr.json").write_text(
        json.dumps(entry_point(extensions=[{**UNKNOWN, "must_understand": False}]))
    )
    assert UNKNOWN["extension"] in zarrscope("info", root).text
    (root / "zarr.json").write_text(json.dumps(entry_point(extensions=[UNKNOWN])))
    refused = zarrscope("tree", root)
    assert (refused.status, refused.stderr.count("\n")) == (1, 1)


def test_the_table_of_drafts_is_whole() -> None:
    assert {draft.name for draft in DRAFTS.values()} == {
        known.name for known in FORMATS if known.name.startswith("draft")
    }
    assert suffix_of(DRAFTS["2022-05-25"]) == ".meta"
    assert {CORE, NEW_CORE} == {
        str(draft.entry_point["zarr_format"]).replace("http:", "https:")
        for draft in DRAFTS.values()
        if draft.entry_point
    }
