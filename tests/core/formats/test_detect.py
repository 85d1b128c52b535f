"""Detecting the format of a store: which documents decide, and how many requests that takes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from zarrcore.errors import (
    AccessDeniedError,
    HierarchyNotFoundError,
    InvalidKeyError,
    ListingUnsupportedError,
    MetadataError,
    StoreError,
)
from zarrcore.formats import FORMATS, Format, detect_format
from zarrcore.formats.detect import ask_root, fetch_document, is_there
from zarrcore.metadata.json_document import MAX_DOCUMENT_BYTES
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, ReadableStore, StoreEntry, StoreStat

V3_GROUP = b'{"zarr_format": 3, "node_type": "group"}'
V2_GROUP = b'{"zarr_format": 2}'


class Asked(MemoryStore):
    """A store that records which values it is asked for, and fails for some of them."""

    def __init__(
        self, values: dict[str, bytes], *, remote: bool = False, fails: dict[str, Exception] | None = None
    ) -> None:
        super().__init__(values=values)
        self.is_remote = remote
        self.asked: list[str] = []
        self.fails = fails or {}

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.asked.append(key)
        if key in self.fails:
            raise self.fails[key]
        return super().get(key, byte_range, max_nbytes=max_nbytes)

    def stat(self, key: str) -> StoreStat | None:
        if key in self.fails:
            raise self.fails[key]
        return super().stat(key)

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        if prefix in self.fails:
            raise self.fails[prefix]
        return super().list_dir(prefix)


class Unlistable(ReadableStore):
    """A store without listings."""

    url = "test://unlistable"

    def __init__(self, values: dict[str, bytes]) -> None:
        self.values = values

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return self.values.get(key)


@pytest.mark.parametrize("remote", [False, True])
@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"zarr.json": V3_GROUP}, "v3"),
        ({".zgroup": V2_GROUP}, "v2"),
        ({"zarr.json": V3_GROUP, ".zgroup": V2_GROUP}, "v3"),
        ({"attributes.json": json.dumps({"n5": "4.0.0"}).encode()}, "n5"),
        ({"zarr.json": b"broken"}, "v3"),
    ],
)
def test_the_first_format_with_a_document_at_the_root_wins(
    values: dict[str, bytes], expected: str, remote: bool
) -> None:
    found, documents = detect_format(Asked(values, remote=remote), FORMATS)
    assert found.name == expected
    assert documents is not None
    assert set(filter(None, documents)) <= set(values.values())


def test_a_hierarchy_of_today_is_detected_by_one_document() -> None:
    for remote in (False, True):
        store = Asked({"zarr.json": V3_GROUP}, remote=remote)
        detect_format(store, FORMATS)
        assert store.asked == ["zarr.json"]


def test_no_document_is_requested_twice() -> None:
    for remote in (False, True):
        store = Asked({".zattrs": b"{}"}, remote=remote)
        with pytest.raises(HierarchyNotFoundError):
            detect_format(store, FORMATS)
        assert len(store.asked) == len(set(store.asked))


def test_the_error_names_the_documents_that_were_missing() -> None:
    with pytest.raises(HierarchyNotFoundError) as caught:
        detect_format(MemoryStore(values={"notes.txt": b""}), (Format.V3, Format.V2))
    assert caught.value.tried == ("zarr.json", ".zarray", ".zgroup", ".zattrs")
    assert "cannot be listed" not in str(caught.value)


@pytest.mark.parametrize(
    ("key", "document", "name"),
    [
        ("zarr.json", b'{"zarr_format": 4, "node_type": "array"}', "v3"),
        ("zarr.json", b'{"node_type": "group"}', "v3"),
        (".zgroup", b'{"zarr_format": 7}', "v2"),
    ],
)
def test_a_root_of_an_unknown_version_is_broken_and_not_missing(key: str, document: bytes, name: str) -> None:
    below = {"a/zarr.json": V3_GROUP, "a/.zgroup": V2_GROUP}
    found, documents = detect_format(MemoryStore(values={key: document, **below}), FORMATS)
    assert found.name == name
    assert documents is not None
    with pytest.raises(MetadataError, match="zarr_format"):
        found.parse(documents)


def test_another_format_at_the_root_wins_over_an_unknown_version() -> None:
    values = {"zarr.json": b'{"zarr_format": 4}', ".zgroup": V2_GROUP}
    assert detect_format(MemoryStore(values=values), FORMATS)[0].name == "v2"


def test_a_store_that_cannot_list_is_named_as_the_reason() -> None:
    refusing = Asked({}, fails={"": ListingUnsupportedError("no listing")})
    with pytest.raises(HierarchyNotFoundError, match="cannot be listed: name the path of a hierarchy in it"):
        detect_format(refusing, FORMATS)
    with pytest.raises(HierarchyNotFoundError):
        detect_format(Unlistable({"a/zarr.json": V3_GROUP}), FORMATS)


def test_an_outage_is_not_a_missing_hierarchy() -> None:
    store = Asked({".zgroup": V2_GROUP}, fails={"zarr.json": StoreError("no answer")})
    with pytest.raises(StoreError, match="no answer"):
        detect_format(store, FORMATS)


@pytest.mark.parametrize("remote", [False, True])
def test_a_child_makes_the_root_an_implicit_group_where_the_format_has_them(remote: bool) -> None:
    values = {f"{number:03}/notes.txt": b"" for number in range(5)}
    values["x/attributes.json"] = b'{"dimensions": [1], "blockSize": [1], "dataType": "uint8"}'
    denied = AccessDeniedError("not this one")
    store = Asked(values, remote=remote, fails={"000/attributes.json": denied, "000/zarr.json": denied})
    found, documents = detect_format(store, FORMATS)
    assert (found.name, documents) == ("n5", None)
    with pytest.raises(HierarchyNotFoundError):
        detect_format(Asked({"x/.zgroup": V2_GROUP}, remote=remote), FORMATS)


def test_only_some_children_are_probed() -> None:
    values = {f"{number:03}/notes.txt": b"" for number in range(200)}
    store = Asked(values)
    with pytest.raises(HierarchyNotFoundError):
        detect_format(store, FORMATS)
    assert len({key.partition("/")[0] for key in store.asked if "/" in key and key[:3].isdigit()}) == 16


def test_a_document_that_is_too_large_is_only_read_so_far_that_it_is_refused() -> None:
    store = MemoryStore(values={"zarr.json": b" " * (MAX_DOCUMENT_BYTES + 100), "small": b"{}"})
    for remote in (False, True):
        store.is_remote = remote
        assert len(fetch_document(store, "zarr.json") or b"") == MAX_DOCUMENT_BYTES + 1
        assert fetch_document(store, "small") == b"{}"
        assert fetch_document(store, "missing") is None


def test_a_key_that_cannot_exist_or_be_listed_is_not_there() -> None:
    store = Asked(
        {"a/b": b""},
        fails={"bad": InvalidKeyError("bad"), "x/": AccessDeniedError("no"), "y": AccessDeniedError("no")},
    )
    assert [is_there(store, key) for key in ("a/b", "a/", "b", "b/", "bad", "x/")] == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]
    with pytest.raises(AccessDeniedError):
        is_there(store, "y")
    assert not is_there(Unlistable({"a/b": b""}), "a/")


def test_the_root_is_asked_for_the_documents_of_formats_in_use() -> None:
    store = Asked({"zarr.json": V3_GROUP, ".zmetadata": b"{}"}, remote=True)
    get = ask_root(store, FORMATS)
    expected = {
        "zarr.json": V3_GROUP,
        ".zmetadata": b"{}",
        ".zarray": None,
        ".zgroup": None,
        "attributes.json": None,
    }
    assert {key: get(key) for key in expected} == expected
    assert sorted(store.asked) == sorted(set(store.asked))
    assert expected.keys() <= set(store.asked)
