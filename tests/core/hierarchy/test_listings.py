"""Children by listing and by consolidated metadata."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore
from tests.core.hierarchy.stores import (
    ARRAY,
    GROUP,
    V2_ARRAY,
    V2_GROUP,
    V2_WITHOUT_GROUPS,
    Remote,
    memory,
)
from zarrcore.errors import (
    AccessDeniedError,
    HierarchyNotFoundError,
    MetadataError,
)
from zarrcore.stores import ByteRange, BytesLike, LocalStore, MemoryStore, ReadableStore, StoreEntry


class Unlistable(ReadableStore):
    """Only what can be read by key."""

    url = "test://unlistable"

    def __init__(self, inner: ReadableStore) -> None:
        self._inner = inner

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        return self._inner.get(key, byte_range)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("kind", [Remote, MemoryStore])
def test_consolidated_metadata_imply_groups_without_a_listing(zarr_format: int, kind: type) -> None:
    if zarr_format == 2:
        metadata = {".zgroup": json.loads(V2_GROUP), "A/1/0/.zarray": json.loads(V2_ARRAY)}
        consolidated = {"zarr_consolidated_format": 1, "metadata": metadata}
        values = {**V2_WITHOUT_GROUPS, ".zmetadata": json.dumps(consolidated).encode()}
    else:
        told = {"kind": "inline", "must_understand": False, "metadata": {"A/1/0": json.loads(ARRAY)}}
        group = json.dumps({**json.loads(GROUP), "consolidated_metadata": told}).encode()
        values = {"zarr.json": group, "A/1/0/zarr.json": ARRAY}

    class Unlisted(kind):
        def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
            raise zarrcore.ListingUnsupportedError("cannot be listed", url=self.url)

        list_dir = list_prefix

    hierarchy = zarrcore.open_hierarchy(Unlisted(values=values))
    assert [node.path for node in hierarchy.walk()] == ["/", "/A", "/A/1", "/A/1/0"]
    assert hierarchy["A/1"].kind == "group"


def test_an_outage_is_never_an_empty_group() -> None:
    class Denying(MemoryStore):
        def get(
            self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
        ) -> BytesLike | None:
            if key.startswith("x/"):
                raise AccessDeniedError("refused", key=key, url=self.url)
            return super().get(key, byte_range)

    store = Denying()
    store.set("zarr.json", GROUP)
    store.set("x/zarr.json", ARRAY)
    with pytest.raises(AccessDeniedError):
        zarrcore.open_hierarchy(store)["x"]
    found = list(zarrcore.open_hierarchy(store).walk())
    assert [(node.path, node.kind) for node in found] == [("/", "group"), ("/x", "broken")]
    assert isinstance(found[1].error, AccessDeniedError)


def test_stores_that_cannot_list() -> None:
    hierarchy = zarrcore.open_hierarchy(Unlistable(memory(**{"zarr.json": GROUP, "x/zarr.json": ARRAY})))
    assert hierarchy["x"].shape == (4,)
    with pytest.raises(zarrcore.ListingUnsupportedError, match="name the path of a node"):
        list(hierarchy.root.children())
    with pytest.raises(HierarchyNotFoundError):
        zarrcore.open_hierarchy(Unlistable(MemoryStore()))


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_consolidated_metadata_stands_in_for_a_listing(tmp_path: Path, zarr_format: int) -> None:
    root = zarr.create_group(tmp_path / "a.zarr", zarr_format=zarr_format)
    root.create_group("a").create_group("b").create_array("x", data=np.arange(5))
    root.create_array("y", data=np.arange(3))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        zarr.consolidate_metadata(root.store)
    root.create_array("later", data=np.arange(2))  # which the consolidated metadata does not know
    for name in ("zarr.json", ".zarray"):
        (tmp_path / "a.zarr/y" / name).unlink(missing_ok=True)
    listed = zarrcore.open_hierarchy(tmp_path / "a.zarr")
    assert {node.path for node in listed.walk()} >= {"/", "/a", "/a/b", "/a/b/x", "/later"}
    hierarchy = zarrcore.open_hierarchy(Unlistable(LocalStore(tmp_path / "a.zarr")))
    assert [node.path for node in hierarchy.walk()] == ["/", "/a", "/a/b", "/a/b/x"], (
        "y's own document is gone"
    )
    assert hierarchy["a/b/x"][...].tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("consolidated", [b"5", b'{"metadata": []}', b"[]", b"null"])
def test_broken_consolidated_metadata(consolidated: bytes) -> None:
    document = b'{"zarr_format": 3, "node_type": "group", "consolidated_metadata": ' + consolidated + b"}"
    hierarchy = zarrcore.open_hierarchy(Unlistable(memory(**{"zarr.json": document})))
    with pytest.raises((MetadataError, zarrcore.ListingUnsupportedError)):
        list(hierarchy.walk())
