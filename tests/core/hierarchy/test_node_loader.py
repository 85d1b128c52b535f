"""Loading nodes: which documents are requested, and how long nodes are kept."""

from __future__ import annotations

import pytest

import zarrcore
from tests.core.hierarchy.stores import (
    ARRAY,
    GROUP,
    V2_GROUP,
    memory,
)
from zarrcore.errors import (
    MetadataError,
)
from zarrcore.stores import ByteRange, BytesLike, MemoryStore


def test_metadata_is_kept_until_refresh_or_age() -> None:
    store = memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY})
    kept, fresh = zarrcore.open(store), zarrcore.open(store, metadata_max_age_s=0.0)
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
    hierarchy = zarrcore.open(store)
    nodes = list(hierarchy.walk())
    assert nodes[1].stored_document()["shape"] == [4]
    assert nodes[1].metadata_key == "x/zarr.json"
    assert sorted(store.asked) == ["x/zarr.json", "y/zarr.json", "zarr.json"]


def test_version_2_only_requests_documents_that_can_matter() -> None:
    store = Counting()
    for key, value in {".zgroup": V2_GROUP, "x/.zgroup": V2_GROUP, "junk/a": b""}.items():
        store.set(key, value)
    list(zarrcore.open(store).walk())
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


def test_the_error_of_a_broken_node_does_not_collect_frames() -> None:
    hierarchy = zarrcore.open(memory(**{"zarr.json": GROUP, "x/zarr.json": b"{"}))
    depths = []
    for _ in range(5):
        with pytest.raises(MetadataError) as caught:
            hierarchy["x"]
        depths.append(len(caught.traceback))
    assert len(set(depths)) == 1


def test_an_unforeseen_error_makes_one_broken_node(monkeypatch: pytest.MonkeyPatch) -> None:
    def surprise(document: object) -> None:
        raise ZeroDivisionError("surprise")

    hierarchy = zarrcore.open(memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY}))
    monkeypatch.setattr("zarrcore.formats.v3.format.parse_node", surprise)
    with pytest.raises(
        MetadataError, match=r"x/zarr.json: cannot be understood \(ZeroDivisionError: surprise\)"
    ):
        hierarchy["x"]
