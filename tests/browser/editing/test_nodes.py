"""Nodes: made, moved and deleted completely, or else it is said what is left."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import zarr

from tests.browser.editing.conftest import Again
from tests.browser.editing.places import VALUES, FullStore, done, example, over, stopping_after, write_example
from zarrbrowser.editing.changes import CannotChangeError, CannotUndoError, Effect
from zarrbrowser.editing.nodes import (
    Contents,
    checked_path,
    contents,
    erase,
    move,
    new_group,
)
from zarrbrowser.editing.progress import Progress, StoppedError
from zarrbrowser.session.sources import Source
from zarrcore.errors import NodeExistsError, NodeNotFoundError, SelectionError, StoreFullError


def test_a_group_is_made_and_unmade(source: Source, again: Again) -> None:
    outcome = done(new_group(source, "/scan/new/inner"))
    assert (outcome.path, outcome.group, outcome.effect) == ("/scan/new/inner", "/scan", Effect.NODES)
    assert again(source)["/scan/new/inner"].kind == "group"
    assert outcome.undo is not None
    outcome.undo.run(Progress())
    assert "/scan/new" not in again(source)
    with pytest.raises(NodeExistsError):
        done(new_group(source, "/scan/raw"))


def test_a_group_that_is_not_empty_any_more_stays(tmp_path: Path) -> None:
    source = example(tmp_path)
    outcome = done(new_group(source, "/new"))
    zarr.open_group(tmp_path / "a.zarr", mode="r+", use_consolidated=False)["new"].create_group("theirs")
    assert outcome.undo is not None
    with pytest.raises(CannotUndoError, match="not empty"):
        outcome.undo.run(Progress())
    assert (tmp_path / "a.zarr/new/theirs/zarr.json").exists()


def test_a_node_is_moved_and_moved_back(source: Source, again: Again) -> None:
    outcome = done(move(source, "/scan/raw", "/other/deep/first"))
    assert (outcome.path, outcome.group) == ("/other/deep/first", "/")
    assert np.array_equal(again(source)["/other/deep/first"][...], VALUES)
    assert "/scan/raw" not in again(source)
    assert outcome.undo is not None
    outcome.undo.run(Progress())
    assert np.array_equal(again(source)["/scan/raw"][...], VALUES)
    assert "/other" in again(source)
    assert "/other/deep" not in again(source), "the move made it"


def test_a_group_that_a_move_made_stays_if_it_is_used(tmp_path: Path) -> None:
    source = example(tmp_path)
    outcome = done(move(source, "/scan/raw", "/new/deep/first"))
    zarr.create_group(tmp_path / "a.zarr/new/deep/second")
    assert outcome.undo is not None
    assert outcome.undo.run(Progress()).text == "/new/deep/first is now /scan/raw"
    assert "/new/deep/second" in source.hierarchy
    assert "/new/deep/first" not in source.hierarchy


def test_nothing_is_replaced_by_a_move(source: Source) -> None:
    with pytest.raises(NodeExistsError):
        done(move(source, "/scan/raw", "/other"))
    with pytest.raises(SelectionError):
        done(move(source, "/scan", "/scan/raw/x"))


def test_a_node_is_deleted_with_all_of_its_keys(source: Source, again: Again) -> None:
    found = contents(source, "/scan", Progress())
    assert found.nodes == 3
    assert found.keys >= 8
    told: list[float] = []
    outcome = done(erase(source, "/scan", found.keys), Progress(told.append))
    assert outcome.ends_undo
    assert (outcome.path, outcome.group) == ("/", "/")
    assert [node.path for node in again(source).walk()] == ["/", "/other"]
    assert not any(entry.key.startswith("scan/") for entry in again(source).store.list_prefix(""))
    with pytest.raises(NodeNotFoundError):
        done(erase(source, "/scan"))


def test_a_stopped_deletion_says_what_is_left_and_can_be_completed() -> None:
    store = FullStore()
    write_example(store)
    source = over(store)
    progress = Progress(is_stopped=lambda: True)
    outcome = done(erase(source, "/scan/raw"), progress)
    assert not outcome.is_complete
    assert "was stopped" in outcome.text
    assert "the rest is left in the store" in outcome.text
    left = [key for key in store.listed() if key.startswith("scan/raw")]
    assert left == [f"scan/raw/c/{row}/{column}" for row in range(2) for column in range(3)]
    assert outcome.rest is not None
    done(outcome.rest)
    assert not [key for key in store.listed() if key.startswith("scan/raw")]


def test_a_deletion_that_fails_halfway_says_so_and_can_be_completed() -> None:
    store = FullStore()
    write_example(store)
    source = over(store)
    store.refuses_after = 4
    outcome = done(erase(source, "/scan"))
    assert "failed" in outcome.text
    assert "the store refuses" in outcome.text
    assert outcome.node is not None
    store.refuses_after = 1 << 30
    assert outcome.rest is not None
    done(outcome.rest)
    assert not [key for key in store.listed() if key.startswith("scan")]


def test_a_deletion_that_fails_at_once_deletes_nothing() -> None:
    store = FullStore()
    write_example(store)
    source, before = over(store), store.listed()
    store.refuses_after = 0
    with pytest.raises(StoreFullError):
        done(erase(source, "/scan/raw"))
    assert store.listed() == before


@pytest.mark.parametrize("number", [0, 3])
def test_a_stopped_move_leaves_the_node_where_it_was(number: int) -> None:
    store = FullStore()
    write_example(store)
    source, before = over(store), store.listed()
    outcome = done(move(source, "/scan/raw", "/other/raw"), stopping_after(number))
    assert not outcome.is_complete
    assert "It is still at /scan/raw, and no copy is left" in outcome.text
    assert store.listed() == before
    assert np.array_equal(outcome.node[...], VALUES)  # type: ignore[index]


def test_a_move_that_cannot_delete_the_originals_says_so() -> None:
    store = FullStore()
    write_example(store)
    source = over(store)
    store.refuses_after = 3
    outcome = done(move(source, "/scan/raw", "/other/raw"))
    assert "It is at /other/raw, and complete" in outcome.text
    assert np.array_equal(outcome.node[...], VALUES)  # type: ignore[index]
    store.refuses_after = 1 << 30
    assert outcome.rest is not None
    done(outcome.rest)
    assert not [key for key in store.listed() if key.startswith("scan/raw")]


def test_a_node_that_another_program_takes_away_during_a_move() -> None:
    store = FullStore()
    write_example(store)
    source = over(store)

    def take_away() -> bool:
        store.store.erase_prefix("scan/raw/")  # type: ignore[attr-defined]
        return False

    outcome = done(move(source, "/scan/raw", "/other/raw"), Progress(is_stopped=take_away))
    assert outcome.text == "/scan/raw was not moved: another program has moved or deleted it meanwhile"
    assert (outcome.path, outcome.is_complete, outcome.undo) == ("/", False, None)
    assert not [key for key in store.listed() if "raw" in key]


def test_a_node_that_goes_away_just_before_it_is_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = example(tmp_path)
    store = source.hierarchy.store  # type: ignore[attr-defined]
    rename = store.rename_prefix

    def late(prefix: str, new: str) -> object:
        shutil.rmtree(tmp_path / "a.zarr/scan/raw")
        return rename(prefix, new)

    monkeypatch.setattr(store, "rename_prefix", late)
    outcome = done(move(source, "/scan/raw", "/new/raw"))
    assert outcome.text == "/scan/raw was not moved: another program has moved or deleted it meanwhile"
    assert not outcome.is_complete


def test_the_root_is_never_deleted(tmp_path: Path) -> None:
    with pytest.raises(CannotChangeError, match="the source itself"):
        done(erase(example(tmp_path), "/"))


@pytest.mark.parametrize("text", ["", "/", "a/../b", "a/__x"])
def test_paths_that_no_node_can_have_are_refused_before_any_request(tmp_path: Path, text: str) -> None:
    with pytest.raises(SelectionError):
        checked_path(example(tmp_path), text)


def test_counting_can_be_stopped(tmp_path: Path) -> None:
    with pytest.raises(StoppedError):
        contents(example(tmp_path), "/", Progress(is_stopped=lambda: True))
    found: list[Contents] = []
    contents(example(tmp_path / "b"), "/", Progress(), found.append)
    assert found == [], "it tells only about many"
