"""Elements: written exactly, never over a newer change of another program, and undone."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.browser.editing.conftest import Again
from tests.browser.editing.places import VALUES, FullStore, done, example, over, stopping_after, write_example
from zarrbrowser.editing.changes import CannotChangeError, CannotUndoError
from zarrbrowser.editing.elements import are_equal, cost_of, write_elements
from zarrbrowser.editing.opening import open_for_changes
from zarrbrowser.editing.progress import Progress
from zarrbrowser.session.sources import Source, SourceRequest
from zarrcore.errors import NodeNotFoundError, StoreError, StoreFullError


def test_one_element_is_written_and_restored(source: Source, again: Again) -> None:
    array = source.hierarchy.node("/scan/raw")
    outcome = done(write_elements(source, array, (slice(3, 4), slice(5, 6)), np.int32(-7)))
    assert outcome.text == "/scan/raw[3, 5]: 95 → -7"
    wanted = VALUES.copy()
    wanted[3, 5] = -7
    assert np.array_equal(again(source)["/scan/raw"][...], wanted)
    assert outcome.undo is not None
    outcome.undo.run(Progress())
    assert np.array_equal(again(source)["/scan/raw"][...], VALUES)


def test_zarr_python_reads_what_was_filled(tmp_path: Path) -> None:
    source = example(tmp_path)
    array = source.hierarchy.node("/scan/raw")
    selection = (slice(0, 15), slice(None, None, 2))
    assert cost_of(array, selection).elements == 15 * 15
    outcome = done(write_elements(source, array, selection, np.int32(9)))
    assert outcome.text == "225 elements of /scan/raw written in 6 chunks"
    wanted = VALUES.copy()
    wanted[selection] = 9
    read = zarr.open_array(tmp_path / "a.zarr/scan/raw", mode="r")
    assert np.array_equal(read[...], wanted)
    assert outcome.undo is not None
    outcome.undo.run(Progress())
    assert np.array_equal(read[...], VALUES)


def test_an_element_that_somebody_changed_is_not_overwritten(tmp_path: Path) -> None:
    source = example(tmp_path)
    array = source.hierarchy.node("/scan/raw")
    place = (slice(0, 1), slice(0, 1))
    outcome = done(write_elements(source, array, place, np.int32(1), is_as_shown=lambda: False))
    assert not outcome.is_complete
    assert "another program" in outcome.text
    assert array.read((0, 0)) == 0
    written = done(write_elements(source, array, place, np.int32(1)))
    zarr.open_array(tmp_path / "a.zarr/scan/raw", mode="r+")[0, 0] = 5
    assert written.undo is not None
    with pytest.raises(CannotUndoError):
        written.undo.run(Progress())
    assert zc.open_hierarchy(tmp_path / "a.zarr")["/scan/raw"][0, 0] == 5


@pytest.mark.parametrize("format_", [2, 3])
def test_an_array_that_has_grown_is_not_filled_with_its_old_shape(
    tmp_path: Path, format_: Literal[2, 3]
) -> None:
    made = zarr.create_array(tmp_path / "a.zarr/x", shape=3, chunks=5, dtype="i4", zarr_format=format_)
    zarr.open_group(tmp_path / "a.zarr", mode="a", zarr_format=format_)
    made[:] = 1
    source = open_for_changes(SourceRequest(str(tmp_path / "a.zarr")))
    array = source.hierarchy.node("/x")
    written = done(write_elements(source, array, (slice(0, 3),), np.int32(2)))
    made.append(np.array([9, 9], "i4"))
    with pytest.raises(CannotChangeError, match="shape, data type or chunks"):
        done(write_elements(source, array, (slice(0, 3),), np.int32(5)))
    assert written.undo is not None
    with pytest.raises(CannotUndoError, match="shape, data type or chunks"):
        written.undo.run(Progress())
    assert zarr.open_array(tmp_path / "a.zarr/x", mode="r")[:].tolist() == [2, 2, 2, 9, 9]  # type: ignore[union-attr, index]
    done(write_elements(source, source.hierarchy.node("/x"), (slice(0, 3),), np.int32(5)))
    assert zarr.open_array(tmp_path / "a.zarr/x", mode="r")[:].tolist() == [5, 5, 5, 9, 9]  # type: ignore[union-attr, index]


def test_chunks_are_not_written_to_an_array_that_is_gone(tmp_path: Path) -> None:
    source = example(tmp_path)
    array = source.hierarchy.node("/scan/raw")
    shutil.rmtree(tmp_path / "a.zarr/scan/raw")
    with pytest.raises(NodeNotFoundError):
        done(write_elements(source, array, (slice(0, 1), slice(0, 1)), np.int32(3)))
    assert not (tmp_path / "a.zarr/scan/raw").exists()


def test_a_stopped_fill_says_how_many_chunks_were_written_and_is_undone() -> None:
    store = FullStore()
    write_example(store)
    source = over(store)
    array = source.hierarchy.node("/scan/raw")
    outcome = done(write_elements(source, array, (slice(None), slice(None)), np.int32(-1)), stopping_after(2))
    assert not outcome.is_complete
    written = int((array.read(...) == -1).sum()) // 100
    assert 2 <= written < 6
    assert f"stopped. {written} of 6 chunks were written, each completely" in outcome.text
    assert outcome.undo is not None
    outcome.undo.run(Progress())
    assert np.array_equal(array.read(...), VALUES)


def test_a_store_that_is_full_in_the_middle_keeps_whole_chunks() -> None:
    store = FullStore()
    write_example(store)
    source = over(store)
    array = source.hierarchy.node("/scan/raw")
    store.room = 2
    outcome = done(write_elements(source, array, (slice(None), slice(None)), np.int32(-1)))
    assert "no space left. 2 of 6 chunks were written, each completely" in outcome.text
    assert int((array.read(...) == -1).sum()) == 200
    store.room = 1
    assert outcome.undo is not None
    partly = outcome.undo.run(Progress())
    assert not partly.is_complete
    store.room = 100
    assert partly.undo is not None
    assert partly.undo.run(Progress()).is_complete
    assert np.array_equal(array.read(...), VALUES)
    store.room = 0
    with pytest.raises(StoreFullError):
        done(write_elements(source, array, (slice(0, 1), slice(0, 1)), np.int32(3)))
    assert array.read((0, 0)) == 0


@pytest.mark.parametrize("room", [2, 100])
def test_chunks_that_cannot_be_read_back_are_told_as_written(
    room: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = FullStore(100)
    write_example(store)
    source = over(store)
    array = source.hierarchy.node("/scan/raw")
    read = type(array).read
    answers = [read]  # one for the elements before the change

    def failing(self: object, *arguments: object, **keywords: object) -> object:
        if not answers:
            raise StoreError("the network is down")
        return answers.pop()(self, *arguments, **keywords)  # type: ignore[call-arg]

    store.room = room
    monkeypatch.setattr(type(array), "read", failing)
    outcome = done(write_elements(source, array, (slice(None), slice(None)), np.int32(-1)))
    assert (outcome.is_complete, outcome.undo, outcome.ends_undo) == (room == 100, None, True)
    if room == 100:
        assert outcome.text.endswith("written in 6 chunks; they cannot be read now: The network is down")
    else:
        assert "no space left. 2 of 6 chunks were written, each completely" in outcome.text


def test_one_field_of_a_structure_is_written(tmp_path: Path) -> None:
    dtype = np.dtype([("a", "i4"), ("b", "f8")])
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("x", shape=(4,), dtype=dtype, chunks=(2,))
    source = open_for_changes(SourceRequest(str(tmp_path / "a.zarr")))
    array = source.hierarchy.node("/x")
    done(write_elements(source, array, (slice(1, 3),), np.float64(2.5), "b"))
    assert array.read(...)["b"].tolist() == [0, 2.5, 2.5, 0]
    assert array.read(...)["a"].tolist() == [0, 0, 0, 0]


def test_text_of_any_length_is_written_and_restored(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("x", shape=(4,), dtype="string", chunks=(2,))[...] = ["a", "b", "c", "d"]
    source = open_for_changes(SourceRequest(str(tmp_path / "a.zarr")))
    array = source.hierarchy.node("/x")
    outcome = done(write_elements(source, array, (slice(1, 2),), "grüße"))
    assert array.read(...).tolist() == ["a", "grüße", "c", "d"]
    assert outcome.undo is not None
    outcome.undo.run(Progress())
    assert array.read(...).tolist() == ["a", "b", "c", "d"]


def test_a_scalar_is_written(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("x", shape=(), dtype="float32")
    source = open_for_changes(SourceRequest(str(tmp_path / "a.zarr")))
    array = source.hierarchy.node("/x")
    done(write_elements(source, array, (), np.float32(1.5)))
    assert zarr.open_array(tmp_path / "a.zarr/x", mode="r")[...] == 1.5


def test_large_changes_are_not_kept_to_be_undone(tmp_path: Path) -> None:
    with zc.create(tmp_path / "a.zarr") as made:
        made.create_array("x", shape=(10_000, 10_000), dtype="uint8", chunks=(10_000, 10_000))
    source = open_for_changes(SourceRequest(str(tmp_path / "a.zarr")))
    cost = cost_of(source.hierarchy.node("/x"), (slice(None), slice(None)))
    assert (cost.chunks, cost.can_undo) == (1, False)
    assert cost_of(source.hierarchy.node("/x"), (slice(0, 0), slice(None))).chunks == 0


def test_elements_are_compared_to_the_last_bit() -> None:
    assert are_equal(np.array([0.0, np.nan]), np.array([-0.0, np.nan])).tolist() == [False, True]
    assert are_equal(np.array(["a", "b"], "T"), np.array(["a", "c"], "T")).tolist() == [True, False]
    assert are_equal(np.array([["ab"]]), np.array([["ab"]])).tolist() == [[True]]
