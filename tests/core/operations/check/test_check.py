"""A check as a whole: hierarchies without findings, failing stores, interrupted copies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.conftest import Written
from tests.core.operations.check.findings import findings, kinds
from zarrcore.errors import ListingUnsupportedError
from zarrcore.formats import format_named
from zarrcore.operations.check import check
from zarrcore.operations.copy import execute, plan_copy
from zarrcore.stores.interface import ByteRange, ListableStore, ReadableStore, StoreEntry
from zarrcore.stores.local.store import LocalStore


def test_hierarchies_of_zarr_python_have_no_findings(hierarchy: Written) -> None:
    wrong = [finding for finding in findings(hierarchy.path) if finding.severity != "note"]
    # Its fixture has old documents in which codecs are not told.
    assert [finding for finding in wrong if finding.what != "codecs-not-named"] == []


def test_a_whole_hierarchy_without_fault(root: Path) -> None:
    done: dict[str, tuple[int, int]] = {}
    found = list(
        check(
            zc.open_hierarchy(root), progress=lambda path, done_, total: done.update({path: (done_, total)})
        )
    )
    assert found == []
    assert done == {"/a": (12, 12), "/s": (4, 4)}


class Unlistable(ReadableStore):
    """A store that can be read by key and no more."""

    def __init__(self, root: Path) -> None:
        self.store = LocalStore(root)
        self.url = self.store.url

    def get(self, key: str, byte_range: ByteRange | None = None, **options: Any) -> Any:
        return self.store.get(key, byte_range, **options)


def test_a_store_that_cannot_be_listed(root: Path) -> None:
    (root / "a/c/0/0").write_bytes(b"broken")
    (root / "a/c/1/0").unlink()
    (root / "a/stray").write_bytes(b"")
    found = findings(Unlistable(root), "/a")
    assert [(finding.severity, finding.what) for finding in found] == [
        ("note", "not-checked"),
        ("error", "broken-chunk"),
        ("note", "missing-chunks"),
    ]
    assert kinds(Unlistable(root)) == {("note", "not-checked", "/")}, "its children are not known"
    zarr.consolidate_metadata(root)
    assert {what for _, what, _ in kinds(Unlistable(root))} == {
        "not-checked",
        "broken-chunk",
        "missing-chunks",
    }


class Refusing(Unlistable, ListableStore):
    """A store whose server refuses to list."""

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        raise ListingUnsupportedError("no listing", url=self.url)

    list_dir = list_prefix


@pytest.mark.parametrize("store", [Unlistable, Refusing])
@pytest.mark.parametrize("is_remote", [False, True])
def test_that_a_store_cannot_be_listed_is_said_once(
    root: Path, store: Callable[[Path], Any], is_remote: bool
) -> None:
    zarr.create_group(root / "z/g")
    zarr.create_group(root / "z")
    for name in ("z/g/c", "z/a", "b"):
        zarr.create_array(root / name, data=np.ones(30, "u1"), chunks=(1,))
        for chunk in (12, 3):
            (root / name / f"c/{chunk}").write_bytes(b"broken")
    zarr.consolidate_metadata(root)
    opened = store(root)
    opened.is_remote = is_remote
    note, *found = findings(opened)
    assert (note.what, note.path) == ("not-checked", "/")
    walked = [node.path for node in zc.open_hierarchy(store(root)).walk()]
    expected = [path for path in walked if path in ("/z/g/c", "/z/a", "/b")]
    assert [(f.what, f.path, f.index) for f in found] == [
        ("broken-chunk", path, index) for path in expected for index in ((3,), (12,))
    ]


def test_a_failing_store_does_not_end_the_check(root: Path) -> None:
    class Failing(LocalStore):
        asked = 0

        def get(self, key: str, byte_range: ByteRange | None = None, **options: Any) -> Any:
            if "/c/" in key:
                self.asked += 1
                raise zc.UnreachableError("the line is cut", key=key)
            return super().get(key, byte_range, **options)

    zarr.create_array(root / "many", data=np.ones(500, "u1"), chunks=(1,))
    store = Failing(root)
    found = findings(store)
    assert {finding.path for finding in found if finding.what == "unreadable"} == {"/a", "/s", "/many"}
    assert ("error", "not-checked", "/many") in {(f.severity, f.what, f.path) for f in found}
    assert store.asked < 400


@pytest.mark.parametrize("to", ["v2", "n5"])
def test_hierarchies_of_ours_have_no_findings(root: Path, tmp_path: Path, to: str) -> None:
    source = zc.open_hierarchy(root)
    execute(plan_copy(source, to=format_named(to)), source, LocalStore(tmp_path / "t", create=True))
    assert findings(tmp_path / "t") == []


def test_an_unfinished_copy(root: Path) -> None:
    (root / ".zarrscope-copy.json").write_text("{}")
    assert ("error", "unfinished-copy", "/") in kinds(root)


def test_a_broken_root_is_reported_once(root: Path) -> None:
    (root / "zarr.json").write_text("{")
    assert [finding.what for finding in findings(root)] == ["broken-document"]
