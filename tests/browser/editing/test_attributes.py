"""Attributes: saved only over what the user saw, and undone only if nobody else has changed them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import zarr

import zarrcore as zc
from tests.browser.editing.conftest import Again
from tests.browser.editing.places import FullStore, done, example, over, write_example
from zarrbrowser.editing.attributes import set_attributes
from zarrbrowser.editing.changes import CannotChangeError, CannotUndoError, Effect
from zarrbrowser.editing.progress import Progress
from zarrbrowser.session.sources import Source
from zarrcore.errors import MetadataError, NodeNotFoundError, StoreFullError

WANTED = {"unit": "µm", "scale": [1, 0.5], "deep": {"a": None}}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("path", ["/scan/raw", "/scan", "/"])
def test_they_are_stored_and_restored(source: Source, again: Again, path: str) -> None:
    shown = dict(source.hierarchy.node(path).attributes)
    outcome = done(set_attributes(source, path, source.hierarchy.node(path).kind, shown, WANTED))
    assert outcome.is_complete
    assert outcome.effect is Effect.ATTRIBUTES
    assert again(source)[path].attributes == WANTED
    assert outcome.undo is not None
    outcome.undo.run(Progress())
    assert again(source)[path].attributes == shown


def test_zarr_python_reads_them(tmp_path: Path) -> None:
    source = example(tmp_path, "v2")
    zarr.consolidate_metadata(tmp_path / "a.zarr", zarr_format=2)
    done(set_attributes(source, "/scan/raw", "array", {"unit": "mm"}, WANTED))
    for consolidated in (True, False):
        group = zarr.open_group(tmp_path / "a.zarr", mode="r", use_consolidated=consolidated)
        assert dict(group["scan/raw"].attrs) == WANTED


def test_those_of_somebody_else_are_never_overwritten(tmp_path: Path) -> None:
    source = example(tmp_path)
    theirs = zarr.open_group(tmp_path / "a.zarr", mode="r+", use_consolidated=False)["scan/raw"]
    theirs.attrs["unit"] = "km"
    outcome = done(set_attributes(source, "/scan/raw", "array", {"unit": "mm"}, WANTED))
    assert not outcome.is_complete
    assert outcome.found == {"unit": "km"}
    assert "another program" in outcome.text
    saved = done(set_attributes(source, "/scan/raw", "array", {"unit": "km"}, WANTED))
    theirs = zarr.open_group(tmp_path / "a.zarr", mode="r+", use_consolidated=False)["scan/raw"]
    assert dict(theirs.attrs) == WANTED
    theirs.attrs["unit"] = "ly"
    assert saved.undo is not None
    with pytest.raises(CannotUndoError, match="changed again since"):
        saved.undo.run(Progress())
    assert zc.open_hierarchy(tmp_path / "a.zarr")["/scan/raw"].attributes["unit"] == "ly"


def test_a_node_that_somebody_deleted_is_reported(tmp_path: Path) -> None:
    source = example(tmp_path)
    (tmp_path / "a.zarr/scan/raw/zarr.json").unlink()  # its chunks make it an implicit group
    with pytest.raises(CannotChangeError, match="deleted or replaced the array"):
        done(set_attributes(source, "/scan/raw", "array", {"unit": "mm"}, WANTED))
    shutil.rmtree(tmp_path / "a.zarr/scan/raw")
    with pytest.raises(NodeNotFoundError):
        done(set_attributes(source, "/scan/raw", "array", {"unit": "mm"}, WANTED))


def test_a_full_store_keeps_the_old_ones() -> None:
    store = FullStore()
    write_example(store)
    source = over(store)
    before = {key: bytes(store.get(key) or b"") for key in store.listed()}
    store.room = 0
    with pytest.raises(StoreFullError):
        done(set_attributes(source, "/scan/raw", "array", {"unit": "mm"}, WANTED))
    assert {key: bytes(store.get(key) or b"") for key in store.listed()} == before


def test_consolidated_metadata_that_cannot_be_written_again_are_reported() -> None:
    store = FullStore()
    write_example(store, "v2")
    with zc.open_hierarchy(store, "r+") as made:
        made.consolidate()
    source = over(store)
    store.room = 1
    outcome = done(set_attributes(source, "/scan/raw", "array", {"unit": "mm"}, WANTED))
    assert outcome.is_complete
    assert "consolidated metadata were removed and could not be written again" in outcome.text
    assert json.loads(bytes(store.get("scan/raw/.zattrs") or b"")) == WANTED
    assert ".zmetadata" not in store.listed()


def test_what_the_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    source = example(tmp_path, "n5")
    with pytest.raises(MetadataError):
        done(set_attributes(source, "/scan/raw", "array", {"unit": "mm"}, {"dimensions": [1]}))
    assert zc.open_hierarchy(tmp_path / "a.zarr")["/scan/raw"].shape == (20, 30)
