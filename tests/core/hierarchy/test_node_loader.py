"""Loading nodes: which documents are requested, and how long nodes are kept."""

from __future__ import annotations

import os
import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Event
from typing import Any

import pytest

import zarrcore
from tests.core.hierarchy.stores import (
    ARRAY,
    GROUP,
    V2_ARRAY,
    V2_GROUP,
    Remote,
    memory,
)
from tests.waiting import PATIENCE_S, recorded_pauses
from zarrcore.errors import (
    InternalError,
    ListingUnsupportedError,
    MetadataError,
    WrongFormatError,
)
from zarrcore.formats import format_named
from zarrcore.stores import ByteRange, BytesLike, MemoryStore, StoreEntry


def test_metadata_is_kept_until_refresh_or_age() -> None:
    store = memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY})
    kept, fresh = zarrcore.open_hierarchy(store), zarrcore.open_hierarchy(store, metadata_max_age_s=0.0)
    assert kept["x"].shape == fresh["x"].shape == (4,)
    store.set("x/zarr.json", ARRAY.replace(b"[4]", b"[6]"))
    assert kept["x"].shape == (4,)
    assert fresh["x"].shape == (6,)
    kept.refresh()
    assert kept["x"].shape == (6,)


class Counting(MemoryStore):
    """Counts what is asked of it."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        self.asked.append(key)
        return super().get(key, byte_range)


def test_documents_are_requested_once() -> None:
    store = Counting()
    for key, value in {"zarr.json": GROUP, "x/zarr.json": ARRAY, "y/zarr.json": ARRAY}.items():
        store.set(key, value)
    hierarchy = zarrcore.open_hierarchy(store)
    nodes = list(hierarchy.walk())
    assert nodes[1].stored_document()["shape"] == [4]
    assert nodes[1].metadata_key == "x/zarr.json"
    assert sorted(store.asked) == ["x/zarr.json", "y/zarr.json", "zarr.json"]


def test_version_2_only_requests_documents_that_can_matter() -> None:
    store = Counting()
    for key, value in {".zgroup": V2_GROUP, "x/.zgroup": V2_GROUP, "junk/a": b""}.items():
        store.set(key, value)
    list(zarrcore.open_hierarchy(store).walk())
    assert sorted(store.asked) == sorted(
        [
            "zarr.json",
            ".zarray",
            ".zgroup",
            ".zattrs",
            "x/.zarray",
            "x/.zgroup",
            "x/.zattrs",
            "junk/.zarray",
            "junk/.zgroup",
        ]
    )


def test_a_walk_of_version_2_requests_attributes_with_the_array() -> None:
    class Waiting(Remote):
        requests_in_flight = 16

        def get(self, key: str, *arguments: Any, **options: Any) -> BytesLike | None:
            if key.endswith("/.zattrs"):
                begun[key].set()
            elif key.endswith("/.zarray"):
                assert begun[key.replace(".zarray", ".zattrs")].wait(PATIENCE_S), "a round trip later"
            return super().get(key, *arguments, **options)

    begun = {f"{name}/.zattrs": Event() for name in ("A", "g", "x", "A/y")}
    documents = {".zgroup": V2_GROUP, "g/.zgroup": V2_GROUP, "x/.zarray": V2_ARRAY, "A/y/.zarray": V2_ARRAY}
    store = Waiting(documents | {"A/.zattrs": b'{"who": "me"}'})
    hierarchy = zarrcore.open_hierarchy(store, format="v2")
    nodes = {node.path: node for node in hierarchy.walk()}
    assert nodes.keys() == {"/", "/A", "/A/y", "/g", "/x"}
    assert nodes["/A"].attributes == {"who": "me"}, "a group without .zgroup"
    arrays, groups = (".zarray", ".zattrs"), (".zarray", ".zattrs", ".zgroup")
    expected = {"x": arrays, "A/y": arrays, "g": groups, "A": groups}
    asked = sorted(key for key in store.got if "/" in key)  # those of the root may arrive late
    assert asked == sorted(f"{at}/{name}" for at, names in expected.items() for name in names)


def test_the_error_of_a_broken_node_does_not_collect_frames() -> None:
    hierarchy = zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP, "x/zarr.json": b"{"}))
    depths = []
    for _ in range(5):
        with pytest.raises(MetadataError) as caught:
            hierarchy["x"]
        depths.append(len(caught.traceback))
    assert len(set(depths)) == 1


def test_an_unforeseen_error_makes_one_broken_node(monkeypatch: pytest.MonkeyPatch) -> None:
    def surprise(document: object) -> None:
        raise ZeroDivisionError("surprise")

    hierarchy = zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY}))
    monkeypatch.setattr("zarrcore.formats.v3.format.parse_node", surprise)
    with pytest.raises(
        InternalError, match=r"may be in order: /x cannot be understood \(ZeroDivisionError: surprise\)"
    ):
        hierarchy["x"]
    monkeypatch.undo()
    assert hierarchy["x"].shape == (4,), "it was kept, though the document is in order"


N5_ARRAY = b'{"dimensions": [4], "blockSize": [2], "dataType": "int8", "compression": {"type": "raw"}}'
IN_FORMATS = {
    "v3": {"zarr.json": GROUP, "g/zarr.json": GROUP, "g/x/zarr.json": ARRAY, "g/x/c/0": b"12"},
    "v2": {".zgroup": V2_GROUP, "g/.zgroup": V2_GROUP, "g/x/.zarray": V2_ARRAY, "g/x/0": b"12"},
    "n5": {"attributes.json": b'{"n5": "4.0.0"}', "g/x/attributes.json": N5_ARRAY, "g/x/0": b"12"},
    "v1": {"meta": b'{"zarr_format": 1, "shape": [4], "chunks": [2]}', "0": b"12"},
}


@pytest.mark.sampled(15)
@pytest.mark.parametrize("kind", [Remote, lambda values: MemoryStore(values=values)], ids=["remote", "local"])
@pytest.mark.parametrize("named", ["v3", "v2", "n5", "v1", "draft-2020-10"])
@pytest.mark.parametrize("found", IN_FORMATS)
def test_a_wrong_format_is_said_in_one_sentence(found: str, named: str, kind: type) -> None:
    """Chunk folders would be shown as empty groups."""
    if named == found:
        return
    store = kind(IN_FORMATS[found])
    if (found, named) == ("v3", "draft-2020-10"):
        with pytest.raises(
            MetadataError, match="expected the URI of the core specification, found the number 3"
        ):
            zarrcore.open_hierarchy(store, format=named)
        return
    for path in ("/", "g", "g/x", "g/x/c", "nope"):
        hierarchy = zarrcore.open_hierarchy(store, format=named)
        with pytest.raises(WrongFormatError) as caught:
            hierarchy[path]
        titles = format_named(found).title, format_named(named).title
        sentence = f"memory:// is {titles[0]}, not {titles[1]}: name the format {found}, or none"
        assert str(caught.value) == sentence
        assert (caught.value.named, caught.value.found) == (named, found)
    hierarchy = zarrcore.open_hierarchy(store, format=named)
    with pytest.raises(WrongFormatError):
        [*hierarchy.walk()]
    hierarchy.refresh()
    with pytest.raises(WrongFormatError):
        [*hierarchy.walk()]
    if kind is not Remote:
        with pytest.raises(WrongFormatError):
            pickle.loads(pickle.dumps(hierarchy))["/"]
        if format_named(named).writable:
            with pytest.raises(WrongFormatError):
                zarrcore.open_hierarchy(store, "r+", format=named)["g"]


@pytest.mark.parametrize("kind", [Remote, lambda values: MemoryStore(values=values)], ids=["remote", "local"])
@pytest.mark.parametrize(
    ("named", "values", "arrays"),
    [
        ("v2", {**IN_FORMATS["v3"], **IN_FORMATS["v2"]}, ["/g/x"]),
        ("v3", {**IN_FORMATS["v3"], **IN_FORMATS["v2"]}, ["/g/x"]),
        ("n5", {"g/x/attributes.json": N5_ARRAY, "y/attributes.json": N5_ARRAY}, ["/g/x", "/y"]),
        ("n5", {"g/x/attributes.json": N5_ARRAY}, ["/g/x"]),
        ("v3", {"g/x/zarr.json": ARRAY}, ["/g/x"]),
        ("v2", {"g/x/.zarray": V2_ARRAY}, ["/g/x"]),
        # A conversion writes the document of the root last.
        ("v3", {**IN_FORMATS["v2"], "y/zarr.json": ARRAY}, ["/y"]),
        # Other programs use this name, too.
        ("v3", {"attributes.json": b"{}", "y/zarr.json": ARRAY}, ["/y"]),
        ("v3", {"attributes.json": b"{", "g/x/zarr.json": ARRAY}, ["/g/x"]),
        ("v3", {"zarr.json": b"{", ".zgroup": V2_GROUP}, []),
    ],
)
def test_a_named_format_that_may_be_right_is_not_refused(
    named: str, values: dict[str, bytes], arrays: list[str], kind: type
) -> None:
    hierarchy = zarrcore.open_hierarchy(kind(values), format=named)
    assert "nope" not in hierarchy or named == "n5"
    assert [node.path for node in hierarchy.walk() if node.kind == "array"] == arrays


@pytest.mark.parametrize(
    ("named", "document", "array"), [("n5", "attributes.json", N5_ARRAY), ("v3", "zarr.json", ARRAY)]
)
def test_a_remote_root_without_documents_costs_no_more_requests(
    named: str, document: str, array: bytes
) -> None:
    values = {f"{path}/{document}": array for path in ("x", "g/y")}
    store = Remote(values)
    hierarchy = zarrcore.open_hierarchy(store, format=named)
    assert (store.got, store.listed) == ([], [])
    assert hierarchy["x"].shape == (4,)
    assert ({*store.got}, store.listed) == ({document, f"x/{document}"}, [])
    store = Remote(values)
    hierarchy = zarrcore.open_hierarchy(store, format=named)
    assert len([*hierarchy.walk()]) == 4
    assert sorted(store.got) == sorted([document, *(f"{path}/{document}" for path in ("x", "g", "g/y"))])
    assert store.listed.count("") == 1, "the listing that shows the format also has the children"


def test_a_wrong_format_costs_a_listing_and_a_document() -> None:
    store = Remote(IN_FORMATS["v3"])
    with pytest.raises(WrongFormatError):
        [*zarrcore.open_hierarchy(store, format="n5").walk()]
    assert store.got.count("zarr.json") == 1
    assert "meta" not in store.got


def test_a_place_that_cannot_be_listed_is_opened_as_it_is_named() -> None:
    class Unlisted(Remote):
        def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
            raise ListingUnsupportedError("cannot be listed", url=self.url)

    values = {**IN_FORMATS["v2"], "y/zarr.json": ARRAY}
    assert zarrcore.open_hierarchy(Unlisted(values), format="v3")["y"].shape == (4,)
    assert zarrcore.open_hierarchy(Unlisted(IN_FORMATS["v2"]), format="v3")["/"].kind == "group"


@pytest.fixture
def half_written(tmp_path: Path) -> Path:
    """An array whose document another program has truncated and not written yet."""
    zarrcore.create(tmp_path / "a.zarr").create_array("x", shape=(4,), dtype="int8")
    (tmp_path / "a.zarr/x/zarr.json").write_bytes(b"")
    return tmp_path / "a.zarr"


def test_a_document_that_is_being_written_is_read_again(
    half_written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hierarchy = zarrcore.open_hierarchy(half_written)
    pauses: list[float] = []

    def pause(duration_s: float) -> None:
        pauses.append(duration_s)
        if len(pauses) == 2:
            (half_written / "x/zarr.json").write_bytes(ARRAY)

    monkeypatch.setattr(time, "sleep", pause)
    assert hierarchy["x"].shape == (4,)
    assert sum(pauses) <= 0.02


def test_a_damaged_document_is_read_again_only_if_it_was_written_just_now(
    half_written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pauses = recorded_pauses(monkeypatch)
    with pytest.raises(MetadataError):
        zarrcore.open_hierarchy(half_written)["x"]
    assert len(pauses) == 2
    os.utime(half_written / "x/zarr.json", (1e9, 1e9))
    with pytest.raises(MetadataError):
        zarrcore.open_hierarchy(half_written)["x"]
    with pytest.raises(MetadataError):
        zarrcore.open_hierarchy(memory(**{"zarr.json": GROUP, "x/zarr.json": b""}))["x"]
    assert len(pauses) == 2
