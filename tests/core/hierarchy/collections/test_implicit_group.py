"""Whether a prefix without documents is an implicit group, or only a folder of hierarchies."""

from __future__ import annotations

import json

import pytest

from tests.core.hierarchy.stores import ARRAY, GROUP, V2_ARRAY, Remote
from zarrcore.errors import AccessDeniedError
from zarrcore.formats import Format
from zarrcore.hierarchy.collections.implicit_group import children_agree, store_below
from zarrcore.stores import ByteRange, BytesLike, MemoryStore

N5 = json.dumps({"dimensions": [1], "blockSize": [1], "dataType": "uint8"}).encode()
VALUES = {
    "array/zarr.json": ARRAY,
    "group/zarr.json": GROUP,
    "old/.zarray": V2_ARRAY,
    "n5/attributes.json": N5,
    "plain/notes.txt": b"",
    "broken/zarr.json": b"{",
}


@pytest.mark.parametrize("kind", [MemoryStore, Remote])
@pytest.mark.parametrize(
    ("names", "agree"),
    [
        ([], True),
        (["array", "group"], True),
        (["plain"], True),
        (["broken"], True),
        (["old"], False),
        (["array", "plain", "n5"], False),
    ],
)
def test_a_child_of_another_format_makes_it_a_folder(kind: type, names: list[str], agree: bool) -> None:
    store = kind(values=VALUES)
    assert children_agree(store, names, Format.V3) is agree


def test_each_format_has_its_own_children() -> None:
    store = MemoryStore(values=VALUES)
    assert children_agree(store, ["n5"], Format.N5)
    assert not children_agree(store, ["array"], Format.N5)
    assert children_agree(store, ["old"], Format.V2)


def test_a_child_that_cannot_be_read_does_not_count() -> None:
    class Denying(MemoryStore):
        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            raise AccessDeniedError("not this one")

    assert children_agree(Denying(values=VALUES), ["old"], Format.V3)


def test_a_prefix_of_a_prefix_has_one_layer() -> None:
    store = MemoryStore(values={"a/b/c": b"1"})
    outer = store_below(store, "a/")
    inner = store_below(outer, "b/")
    assert (inner.prefix, inner.store) == ("a/b/", store)
    assert inner.get("c") == outer.get("b/c") == b"1"
