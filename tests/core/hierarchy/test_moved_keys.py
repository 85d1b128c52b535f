"""Moving a node to another path."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from tests.any_store import open_store
from zarrcore.errors import (
    BrokenBodyError,
    NodeExistsError,
    NodeNotFoundError,
    ReadOnlyError,
    SelectionError,
    StoreError,
    UnsupportedError,
)
from zarrcore.formats import Format
from zarrcore.hierarchy import moved_keys
from zarrcore.stores.memory import MemoryStore

FORMATS = ["v3", "v2", "n5"]


def hierarchy(store: Any, format_: str = "v3") -> Any:
    made = zc.create(store, format_)
    made.create_group("/g/below", attributes={"a": 1})
    made.create_array("/g/x", shape=(5, 7), dtype="int16", chunks=(2, 3))[...] = np.arange(35).reshape(5, 7)
    return made


def values(store: Any) -> dict[str, bytes]:
    return {entry.key: bytes(store.get(entry.key)) for entry in store.list_prefix("")}


@pytest.mark.parametrize("format_", FORMATS)
@pytest.mark.parametrize("is_local", [True, False])
def test_all_keys_move_byte_for_byte(tmp_path: Path, format_: str, is_local: bool) -> None:
    store = open_store(tmp_path) if is_local else MemoryStore()
    made = hierarchy(store, format_)
    store.set("g/notes.txt", b"not a node")
    before = {key[2:]: value for key, value in values(store).items() if key.startswith("g/")}
    assert made.move("/g", "/new/place") is is_local
    after = values(store)
    assert {key[10:]: value for key, value in after.items() if key.startswith("new/place/")} == before
    assert not any(key.startswith("g/") for key in after)
    assert made["/new/place/x"][4, 6] == 34
    assert "/g" not in made
    assert zc.open_hierarchy(store)["new"].kind == "group"


def test_an_implicit_group_stays_when_its_last_node_leaves() -> None:
    store = MemoryStore()
    hierarchy(store, "v2")
    store.erase("g/.zgroup")
    opened = zc.open_hierarchy(store, "r+")
    opened.move("/g/x", "/x")
    opened.move("/g/below", "/below")
    assert opened["/g"].kind == "group"


@pytest.mark.parametrize(
    ("path", "new", "error"),
    [
        ("/no", "/y", NodeNotFoundError),
        ("/g/x", "/g/below", NodeExistsError),
        ("/g/below", "/g/x/y", NodeExistsError),
        ("/g", "/g/x/y", SelectionError),
        ("/g", "/g", SelectionError),
        ("/", "/y", SelectionError),
        ("/g", "/__y", SelectionError),
        ("/g", "/occupied", NodeExistsError),
    ],
)
def test_a_place_that_does_not_suit_is_refused_and_nothing_moves(
    path: str, new: str, error: type[Exception]
) -> None:
    store = MemoryStore()
    made = hierarchy(store)
    store.set("occupied/notes.txt", b"mine")
    before = values(store)
    with pytest.raises(error):
        made.move(path, new)
    assert values(store) == before


def test_a_hierarchy_for_reading_is_refused() -> None:
    store = MemoryStore()
    hierarchy(store)
    with pytest.raises(ReadOnlyError):
        zc.open_hierarchy(store).move("/g", "/h")


def test_large_values_are_copied_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moved_keys, "_BATCH_NBYTES", 40)
    monkeypatch.setattr(moved_keys, "_COMPARED_NBYTES", 5)
    store = MemoryStore()
    before = values(hierarchy(store).store)
    made = zc.open_hierarchy(store, "r+")
    assert made.move("/g", "/h") is False
    assert {key.replace("h/", "g/", 1) for key in values(store)} == set(before)
    assert made["/h/x"][...].tolist() == np.arange(35).reshape(5, 7).tolist()


class Failing(MemoryStore):
    """A store that fails, or stores something else, once it is told to."""

    way = ""

    def set(self, key: str, value: Any, *, if_absent: bool = False) -> bool:
        if self.way == "fail" and key == "h/x/c/2/2":
            raise StoreError("disk failure", key=key, url=self.url)
        if self.way == "spoil" and key == "h/x/c/2/2":
            value = bytes(value)[:-1] + b"?"
        if self.way == "other" and key == "h/x/c/2/2":
            super().set(key, b"another writer's")
        return super().set(key, value, if_absent=if_absent)


@pytest.mark.parametrize(("way", "error"), [("fail", StoreError), ("spoil", BrokenBodyError)])
def test_a_move_that_fails_leaves_everything_where_it_was(way: str, error: type[Exception]) -> None:
    store = Failing()
    made = hierarchy(store)
    before = values(store)
    store.way = way
    with pytest.raises(error):
        made.move("/g", "/h")
    assert values(store) == before


def test_what_another_writer_stores_meanwhile_is_kept() -> None:
    store = Failing()
    made = hierarchy(store)
    before = values(store)
    store.way = "other"
    with pytest.raises(NodeExistsError):
        made.move("/g", "/h")
    after = values(store)
    assert before.items() <= after.items()
    assert after["h/x/c/2/2"] == b"another writer's"
    assert "h/zarr.json" not in after


def test_formats_that_keep_documents_apart_cannot_move(monkeypatch: pytest.MonkeyPatch) -> None:
    made = hierarchy(MemoryStore())
    monkeypatch.setattr(type(Format.V3), "chunk_prefix", lambda _self, path: f"data{path}/")
    with pytest.raises(UnsupportedError):
        made.move("/g", "/h")


def test_a_changed_node_is_read_anew_after_a_move() -> None:
    made = hierarchy(MemoryStore())
    made.move("/g/x", "/h")
    made.create_array("/g/x", shape=(1,), dtype="i1")
    made.move("/g/x", "/i")
    assert (made["/h"].shape, made["/i"].shape) == ((5, 7), (1,))


@pytest.mark.parametrize("method", ["erase_values", "erase_prefix"])
def test_originals_that_cannot_be_erased_are_told(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    store = MemoryStore()
    made = hierarchy(store)
    before = {key[2:]: value for key, value in values(store).items() if key.startswith("g/")}

    def refuse(keys: Iterable[str]) -> None:
        if [*keys]:  # none are a question whether the store can be written
            raise StoreError("access is denied", url=store.url)

    monkeypatch.setattr(store, method, refuse)
    with pytest.raises(
        StoreError, match="denied; /h is a complete copy, and what is left at /g may be erased"
    ):
        made.move("/g", "/h")
    assert {key[2:]: value for key, value in values(store).items() if key.startswith("h/")} == before
