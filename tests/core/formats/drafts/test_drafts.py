"""The drafts of version 3, as a writer that knows nothing of ours makes them from their texts."""

from __future__ import annotations

import contextlib
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
from tests.core.formats.drafts.draft_writer import (
    CORE,
    DRAFTS,
    NEW_CORE,
    Array,
    array_document,
    suffix_of,
    write,
)
from tests.core.formats.strategies import broken
from zarrcore.errors import HierarchyNotFoundError, MetadataError, ReadOnlyError, UnsupportedError
from zarrcore.formats import FORMATS
from zarrcore.formats.drafts.documents import parse_draft_array
from zarrcore.metadata import ChunkKeyEncoding
from zarrcore.operations.check import check
from zarrcore.stores import MemoryStore
from zarrcore.stores.interface import ReadableStore

each_draft = pytest.mark.parametrize("day", DRAFTS)
SHARDED = [day for day, draft in DRAFTS.items() if draft.sharding]
VALUES = np.arange(30, dtype="i4").reshape(5, 6)
ARRAY = Array(VALUES, (2, 4), attributes={"units": "m"})
TYPES = ["bool", *(f"{kind}{size}" for kind in "iu" for size in (1, 2, 4, 8)), "f2", "f4", "f8", "c8", "c16"]


def store_of(values: dict[str, bytes]) -> MemoryStore:
    store = MemoryStore()
    for key, value in values.items():
        store.set(key, value)
    return store


def array_at(hierarchy: zarrcore.Hierarchy, path: str) -> zarrcore.Array:
    found = hierarchy[path]
    assert isinstance(found, zarrcore.Array)
    return found


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


@st.composite
def arrays(draw: st.DrawFn, day: str) -> Array:
    """Elements of any core type in chunks of any shape, and any way that the text knows to store them."""
    dtype = np.dtype(draw(st.sampled_from(TYPES)))
    shape = tuple(draw(st.lists(st.integers(0, 7), max_size=3)))
    raw = draw(st.binary(min_size=dtype.itemsize, max_size=dtype.itemsize))
    fill = np.frombuffer(bytes(b & 1 for b in raw) if dtype.kind == "b" else raw, dtype)[0]
    values = np.full(shape, fill)
    for _ in range(draw(st.integers(0, 3)) if values.size else 0):
        values[tuple(draw(st.integers(0, n - 1)) for n in shape)] = draw(st.integers(0, 1))
    return Array(
        values,
        tuple(draw(st.integers(1, 4)) for _ in shape),
        draw(st.sampled_from(spellings(fill))),
        fill,
        draw(st.sampled_from("CF")),
        draw(st.sampled_from("<>")) if dtype.itemsize > 1 else "<",
        draw(st.sampled_from("/.")),
        draw(st.booleans()),
        tuple(draw(st.integers(1, 3)) for _ in shape)
        if shape and day in SHARDED and draw(st.booleans())
        else (),
        draw(st.dictionaries(st.text(max_size=5), st.integers(), max_size=2)),
    )


def spellings(fill: Any) -> list[Any]:
    """What JSON may have for an element."""
    if fill.dtype.kind == "b":
        return [bool(fill)]
    if fill.dtype.kind == "c":
        return [list(parts) for parts in zip(spellings(fill.real), spellings(fill.imag), strict=False)]
    bits = int.from_bytes(fill.tobytes(), "little")
    size = fill.dtype.itemsize
    found: list[Any] = [f"0x{bits:0{2 * size}x}", f"0b{bits:0{8 * size}b}"]
    if fill.dtype.kind != "f":
        return [*found, int(fill)]
    if np.isfinite(fill):
        return [*found, float(fill)]
    return [*found, "+Infinity" if fill > 0 else "-Infinity"] if np.isinf(fill) else found


@each_draft
@settings(max_examples=15)
@given(data=st.data())
def test_hierarchies_of_every_draft_read(day: str, data: st.DataObject) -> None:
    array = data.draw(arrays(day))
    path = data.draw(st.sampled_from(["/", "/a", "/a/b.c"]))
    hierarchy = zarrcore.open(store_of(write(day, {path: array})), format=DRAFTS[day].name)
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
    hierarchy = zarrcore.open(store_of(write(day, nodes)))
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
        zarrcore.open(store_of(write(day, {"/": ARRAY})), "r+")


@each_draft
def test_an_array_at_the_root(day: str) -> None:
    hierarchy = zarrcore.open(store_of(write(day, {"/": ARRAY})))
    assert hierarchy.format.name == DRAFTS[day].name
    assert [node.path for node in hierarchy.walk()] == ["/"]
    assert (array_at(hierarchy, "/")[...] == VALUES).all()


@each_draft
def test_few_requests_detect_the_format(day: str) -> None:
    """Of a store that cannot list; where it is told by an entry point, the rest are the root's documents."""
    store = Unlistable(write(day, {"/": ARRAY}))
    hierarchy = zarrcore.open(store)
    assert hierarchy.format.name == DRAFTS[day].name
    most = {"draft-2019-05": 7, "draft-2022-12": 6, "draft-2023-02": 1}.get(DRAFTS[day].name, 3)
    assert len([key for key in store.asked if "/c" not in key]) <= most
    assert (array_at(hierarchy, "/")[...] == VALUES).all()


@each_draft
def test_a_group_at_the_root_of_a_store_that_cannot_list(day: str) -> None:
    hierarchy = zarrcore.open(Unlistable(write(day, {"/": {"n": 1}, "/a": ARRAY})))
    assert hierarchy["/"].attributes == {"n": 1}
    assert (array_at(hierarchy, "a")[...] == VALUES).all()
    if DRAFTS[day].entry_point is not None:
        assert zarrcore.open(Unlistable(write(day, {"/a": ARRAY})))["/"].attributes == {}


def test_a_place_without_a_hierarchy_costs_few_requests() -> None:
    store = Unlistable({"a": b""})
    with pytest.raises(
        HierarchyNotFoundError, match=r"none of zarr.json, .zarray, .* meta/root.array, meta/root.group"
    ):
        zarrcore.open(store)
    assert len(store.asked) == len(set(store.asked)) <= 7


@each_draft
def test_the_format_may_be_named(day: str) -> None:
    """It need not be right: of the entry point only the suffix counts then."""
    name = DRAFTS[day].name
    hierarchy = zarrcore.open(store_of(write(day, {"/a": ARRAY})), format=name)
    assert hierarchy.format.name == name
    assert (array_at(hierarchy, "a")[...] == VALUES).all()


def test_without_its_entry_point_a_hierarchy_reads_when_named() -> None:
    values = write("2020-10-16", {"/a": ARRAY})
    del values["zarr.json"]
    with pytest.raises(HierarchyNotFoundError):
        zarrcore.open(store_of(values))
    hierarchy = zarrcore.open(store_of(values), format="draft-2020-10")
    assert (array_at(hierarchy, "a")[...] == VALUES).all()


def test_december_2022_is_detected_by_its_keys() -> None:
    for day, prefix in (("2022-12-01", "data/root/a/"), ("2022-12-02", "data/a/")):
        for store in (store_of(write(day, {"/a": ARRAY})), Unlistable(write(day, {"/": {}, "/a": ARRAY}))):
            assert array_at(zarrcore.open(store), "a").chunk_key((0, 0)) == f"{prefix}c0/0"


def entry_point(**members: Any) -> dict[str, Any]:
    document = {**(DRAFTS["2020-10-16"].entry_point or {}), **members}
    return {name: value for name, value in document.items() if value is not ...}


UNKNOWN = {"extension": "https://example.org/fancy", "must_understand": True}


@pytest.mark.parametrize(
    ("document", "kind", "words"),
    [
        (
            entry_point(extensions=[UNKNOWN]),
            UnsupportedError,
            "extension 'https://example.org/fancy' is unknown and must be understood",
        ),
        (
            entry_point(extensions=[{"extension": 3}]),
            MetadataError,
            r"zarr.json: extensions\[0\].extension: expected",
        ),
        (entry_point(extensions={}), MetadataError, "zarr.json: extensions: expected an array of objects"),
        (
            entry_point(extensions=[{**UNKNOWN, "must_understand": "yes"}]),
            MetadataError,
            r"zarr.json: extensions\[0\].must_understand: expected true or false",
        ),
        (
            entry_point(metadata_encoding=...),
            MetadataError,
            "zarr.json: metadata_encoding: expected a string",
        ),
        (
            entry_point(metadata_encoding="https://cbor.io"),
            UnsupportedError,
            "metadata encoding 'https://cbor.io'",
        ),
        (entry_point(metadata_encoding={"type": "cbor"}), UnsupportedError, "metadata encoding 'cbor'"),
        (
            entry_point(metadata_key_suffix=3),
            MetadataError,
            "zarr.json: metadata_key_suffix: expected the end",
        ),
        (
            entry_point(metadata_key_suffix="/x"),
            MetadataError,
            "zarr.json: metadata_key_suffix: expected the end",
        ),
        (entry_point(zarr_format="https://example.org"), HierarchyNotFoundError, "holds no hierarchy"),
    ],
)
def test_entry_points_that_cannot_be_used(document: Any, kind: type[Exception], words: str) -> None:
    with pytest.raises(kind, match=words):
        zarrcore.open(store_of({"zarr.json": json.dumps(document).encode()}))


def test_ignorable_extensions_are_ignored_and_named() -> None:
    extension = {**UNKNOWN, "must_understand": False}
    values = write("2020-10-16", {"/a": ARRAY})
    values["zarr.json"] = json.dumps(entry_point(extensions=[extension], later="member")).encode()
    document = {**json.loads(values["meta/root/a.array.json"]), "extensions": [extension], "later": 3}
    values["meta/root/a.array.json"] = json.dumps(document).encode()
    hierarchy = zarrcore.open(store_of(values))
    for node in hierarchy.walk():
        assert hierarchy.format.ignored(node.documents) == ("https://example.org/fancy",)
    assert (array_at(hierarchy, "a")[...] == VALUES).all()


def parse(day: str, **members: Any) -> zarrcore.Array:
    document = {**array_document(day, ARRAY), **members}
    values = write(day, {"/a": ARRAY})
    key = next(key for key in values if key != "zarr.json" and b"shape" in values[key])
    document = {**json.loads(values[key]), **document}
    values[key] = json.dumps({name: value for name, value in document.items() if value is not ...}).encode()
    return array_at(zarrcore.open(store_of(values), format=DRAFTS[day].name), "a")


DATETIME = "https://purl.org/zarr/spec/protocol/extensions/datetime-dtypes/1.0"


def test_data_types_of_extensions() -> None:
    for day in DRAFTS:
        dates = parse(day, data_type={"extension": DATETIME, "type": "<M8[ns]", "fallback": "<i8"})
        assert dates.dtype == "<M8[ns]"
        for fallback in ("<f4", ["https://example.org/no", "<f4"], ["quaternion", "float32", "<i8"]):
            unknown = {"extension": "https://example.org/x", "type": [1], "fallback": fallback}
            assert parse(day, data_type=unknown).dtype == "<f4"
        assert parse(day, data_type="r24", fill_value="0x010203").fill_value.tobytes() == b"\1\2\3"
        assert parse(day, data_type=">u2", fill_value="0b1000000000000001").fill_value == 0x8001
    assert (
        parse("2023-02-21", data_type={"name": "datetime", "configuration": {"unit": "ns"}}).dtype
        == "<M8[ns]"
    )
    text = {"name": "quaternion", "fallback": ["octonion", "<f4"]}
    assert parse("2023-02-21", data_type=text).dtype == "<f4"


def test_filters_in_either_place() -> None:
    delta = {"id": "delta", "dtype": "<i4"}
    hidden = parse("2020-10-16", attributes={"filters": [delta], "n": 1})
    assert [codec.name for codec in hidden.codecs] == ["numcodecs.delta", "bytes", "gzip"]
    assert hidden.attributes == {"n": 1}
    extension = {
        "extension": "https://purl.org/zarr/spec/protocol/extensions/filters/1.0",
        "must_understand": True,
        "configuration": {
            "filters": [
                {"codec": "https://purl.org/zarr/spec/codec/delta/1.0", "configuration": {"dtype": "<i4"}}
            ]
        },
    }
    assert parse("2019-06-19", extensions=[extension]).codecs == hidden.codecs
    assert parse("2020-10-16", attributes={"filters": "coffee"}).attributes == {"filters": "coffee"}


def test_undefined_fill_values() -> None:
    for day in DRAFTS:
        assert parse(day, fill_value=None).fill_value == 0


MALFORMED: list[tuple[dict[str, Any], str]] = [
    ({"shape": ...}, "shape: the member is missing"),
    ({"shape": [-1, 6]}, r"shape\[0\]: expected at least 0"),
    ({"shape": "x"}, "shape: expected an array of integers"),
    ({"shape": [2**63, 2**63]}, "shape: an array of 2⁶³ bytes"),
    ({"data_type": ...}, "data_type"),
    ({"data_type": "float1"}, "float1"),
    ({"data_type": 3}, "data_type: expected"),
    ({"data_type": "r7"}, "multiple of 8"),
    ({"data_type": {"extension": "https://example.org/x", "type": "x"}}, "is an unknown extension"),
    ({"data_type": {"extension": DATETIME, "type": "now"}}, "data_type"),
    ({"chunk_grid": ...}, "chunk_grid: (expected an object, found null|the member is missing)"),
    ({"chunk_grid": {"type": "hexagonal"}}, "chunk grid 'hexagonal'|chunk_grid.name: expected a string"),
    ({"fill_value": "much"}, "fill_value: expected"),
    ({"fill_value": "0xzz"}, "fill_value: expected"),
    ({"attributes": [1]}, "attributes: expected an object"),
]


@each_draft
@pytest.mark.parametrize(("members", "words"), MALFORMED, ids=str)
def test_errors_of_malformed_documents_say_what_and_where(
    day: str, members: dict[str, Any], words: str
) -> None:
    with pytest.raises((MetadataError, UnsupportedError), match=words) as raised:
        parse(day, **members)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("day", "members", "words"),
    [
        ("2020-10-16", {"chunk_memory_layout": "Z"}, "chunk_memory_layout: expected 'C' or 'F'"),
        ("2020-10-16", {"chunk_memory_layout": {"extension": "hilbert"}}, "chunk memory layout 'hilbert'"),
        ("2020-10-16", {"compressor": 3}, "compressor: expected an object with a codec"),
        ("2020-10-16", {"compressor": {"codec": "https://example.org/x"}}, "codec 'https://example.org/x'"),
        ("2020-10-16", {"compressor": {"codec": "jpeg"}}, "codec 'numcodecs.jpeg'"),
        ("2020-10-16", {"compressor": {"codec": "pickle"}}, "never decoded"),
        (
            "2020-10-16",
            {"chunk_grid": {"type": "regular", "chunk_shape": [1, 1], "separator": "-"}},
            "chunk_grid.separator: expected '.' or '/'",
        ),
        ("2020-10-16", {"chunk_grid": {"type": "regular"}}, "chunk_grid.chunk_shape: expected an array"),
        ("2020-10-16", {"storage_transformers": 3}, "storage_transformers: expected an array"),
        ("2020-10-16", {"storage_transformers": [{"extension": "x"}]}, "storage transformer 'x'"),
        ("2019-05-14", {"chunk_codecs": {}}, "chunk_codecs: expected an array"),
        ("2022-12-01", {"codecs": [{"type": 3}]}, r"codecs\[0\].type: expected a codec's URI"),
        ("2022-12-01", {"codecs": [3]}, r"codecs\[0\]: expected an object"),
        ("2022-12-01", {"compressor": {"codec": "gzip"}}, "compressor: there is a chain of codecs"),
        ("2022-12-01", {"surprise": 3}, "member 'surprise' is unknown"),
        ("2023-02-09", {"surprise": 3}, "member 'surprise' is unknown"),
        ("2023-02-21", {"surprise": 3}, "member 'surprise' is unknown"),
        *(
            (
                day,
                {
                    "storage_transformers": [
                        {**DRAFTS[day].sharding, "configuration": {"chunks_per_shard": n}}
                    ]
                },
                words,
            )
            for day in ("2022-05-25", "2023-02-21")
            for n, words in (([0, 1], "at least 1"), ([2], "expected 2 lengths"), ("x", "expected an array"))
        ),
    ],
    ids=str,
)
def test_malformed_members_of_one_draft(day: str, members: dict[str, Any], words: str) -> None:
    with pytest.raises((MetadataError, UnsupportedError), match=words):
        parse(day, **members)


@each_draft
@settings(max_examples=15)
@given(data=st.data())
def test_broken_documents_only_raise_our_errors(day: str, data: st.DataObject) -> None:
    values = write(day, {"/a": data.draw(arrays(day)), "/g": {"n": [1]}})
    for key, value in list(values.items()):
        if key.endswith(("json", "meta", "array", "group")) and data.draw(st.booleans()):
            values[key] = json.dumps(data.draw(broken(json.loads(value)))).encode()
    with contextlib.suppress(MetadataError, UnsupportedError, HierarchyNotFoundError):
        hierarchy = zarrcore.open(
            store_of(values), format=data.draw(st.sampled_from([None, DRAFTS[day].name]))
        )
        for node in hierarchy.walk():
            assert "cannot be understood" not in str(getattr(node, "error", ""))


FILTERS = {
    "extension": "https://purl.org/zarr/spec/protocol/extensions/filters/1.0",
    "must_understand": True,
    "configuration": {
        "filters": [
            {"codec": "https://purl.org/zarr/spec/codec/delta/1.0", "configuration": {"dtype": "<i8"}}
        ]
    },
}
RICH: list[dict[str, Any]] = [
    {
        "data_type": {
            "extension": DATETIME,
            "type": "<M8[ns]",
            "fallback": ["<i8", {"extension": "x", "type": 3}],
        }
    },
    {"data_type": {"extension": "structured", "type": [["a", "<i4"], ["b", ">f8"]]}, "fill_value": "AAAA"},
    {"data_type": {"name": "datetime", "configuration": {"unit": "ns"}, "fallback": ["<i8"]}},
    {"extensions": [FILTERS], "attributes": {"filters": [{"id": "zlib", "level": 1}]}},
    {"dimension_names": ["a", None], "fill_value": "0x0007"},
]


@each_draft
@settings(max_examples=40)
@given(data=st.data())
def test_broken_extensions_only_raise_our_errors(day: str, data: st.DataObject) -> None:
    shards = (2, 2) if day in SHARDED else ()
    array = Array(VALUES, (2, 4), order="F", endian=">", chunks_per_shard=shards)
    document = {**array_document(day, array), **data.draw(st.sampled_from(RICH))}
    with contextlib.suppress(MetadataError, UnsupportedError):
        parse_draft_array(
            data.draw(broken(document)), ChunkKeyEncoding("draft", "/"), strict=data.draw(st.booleans())
        )


@each_draft
@settings(max_examples=10)
@given(text=st.binary(max_size=30), place=st.integers(0, 60))
def test_any_text_only_raises_our_errors(day: str, text: bytes, place: int) -> None:
    values = {key: value[:place] + text for key, value in write(day, {"/": ARRAY}).items()}
    with contextlib.suppress(MetadataError, UnsupportedError, HierarchyNotFoundError):
        list(zarrcore.open(store_of(values)).walk())


def test_an_array_of_february_2023_below_a_group_of_today() -> None:
    found = list(check(zarrcore.open(store_of(write("2023-02-21", {"/": {}, "/a": ARRAY})))))
    assert [(finding.what, finding.path) for finding in found] == [("document-of-a-draft", "/a")]


def test_an_array_and_a_group_at_one_path() -> None:
    values = write("2020-10-16", {"/a": ARRAY})
    values["meta/root/a.group.json"] = b'{"attributes": {}}'
    hierarchy = zarrcore.open(store_of(values))
    assert isinstance(hierarchy["a"], zarrcore.Array)
    found = [(finding.what, finding.path) for finding in check(hierarchy)]
    assert found == [("array-and-group", "/a")]
    values = write("2020-10-16", {"/": ARRAY})
    assert not list(check(zarrcore.open(store_of(values))))


@each_draft
def test_from_the_command_line(day: str, tmp_path: Path, zarrscope: Any) -> None:
    root = tmp_path / "draft.zarr"
    sharded = {"chunks_per_shard": (2, 2)} if day in SHARDED else {}
    array = Array(VALUES, (2, 4), order="F", endian=">", attributes={"units": "m"}, **sharded)  # type: ignore[arg-type]
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
    assert (array_at(zarrcore.open(tmp_path / "copy"), "a/b")[...] == VALUES).all()
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
