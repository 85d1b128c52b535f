"""Sessions that write to a branch."""

from __future__ import annotations

import pickle
from pathlib import Path

import icechunk
import pytest
import zarr

import zarrcore
from tests.core.stores.icechunk.repositories import values_of, write
from zarrcore.errors import StoreError
from zarrcore.stores import open_store
from zarrcore.stores.icechunk.writing import open_session

GROUP = b'{"zarr_format": 3, "node_type": "group", "attributes": {"n": 1}}'


def test_nothing_is_visible_before_the_commit(tmp_path: Path) -> None:
    with open_session(open_store(tmp_path / "repo", create=True)) as session:
        hierarchy = zarrcore.create(session)
        hierarchy.create_array("/a", shape=(4,), dtype="int16", chunks=(2,))[...] = 7
        assert hierarchy["/a"][...].tolist() == [7] * 4
        assert open_store(f"{tmp_path}/repo|icechunk:").get("zarr.json") is None
        session.commit("all")
    values = values_of(icechunk.local_filesystem_storage(str(tmp_path / "repo")), branch="main")
    assert values["/a"].tolist() == [7] * 4


def test_keys_are_written_and_erased(tmp_path: Path) -> None:
    written = write(tmp_path / "repo")
    with open_session(open_store(written.path), "side") as session:
        assert not session.set("zarr.json", GROUP, if_absent=True)
        assert session.set("zarr.json", GROUP)
        assert session.get("zarr.json") == GROUP
        session.set(".marker", b"123")
        assert session.get(".marker") == b"123"
        facts = session.stat(".marker")
        assert facts is not None
        assert facts.size == 3
        session.erase_values([".marker", "a/b/c/0/0", "no"])
        assert session.get(".marker") is session.get("a/b/c/0/0") is None
        session.erase_prefix("large/")
        assert "large/zarr.json" not in {entry.key for entry in session.list()}
        with pytest.raises(StoreError, match="only the process that opened"):
            pickle.dumps(session)
        session.commit("changed")
    with zarrcore.open_hierarchy(written.path, branch="side") as hierarchy:
        assert hierarchy.root.attributes == {"n": 1}
        assert "/large" not in hierarchy
        assert hierarchy["/a/b"][0, 0] == -1


def test_a_branch_that_moved_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    written = write(tmp_path / "repo")
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(written.path)))
    with open_session(open_store(written.path)) as session:
        session.set("zarr.json", GROUP)
        other = repository.writable_session("main")
        zarr.open_group(other.store).attrs["other"] = 2
        other.commit("other")
        with pytest.raises(
            StoreError, match="another commit moved branch main meanwhile; nothing was committed"
        ):
            session.commit("mine")
    assert next(one.message for one in repository.ancestry(branch="main")) == "other"


def test_what_cannot_be_written_says_so(tmp_path: Path) -> None:
    written = write(tmp_path / "repo")
    with pytest.raises(StoreError, match="has no branch no; it has main, side"):
        open_session(open_store(written.path), "no")
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").write_text("precious")
    with pytest.raises(StoreError, match="other"):
        open_session(open_store(tmp_path / "other"))
    assert [file.name for file in (tmp_path / "other").iterdir()] == ["file"]
    with open_session(open_store(tmp_path / "new", create=True), "dev") as session:
        session.set("zarr.json", GROUP)
        session.commit("first")
    with zarrcore.open_hierarchy(tmp_path / "new", branch="dev") as hierarchy:
        assert hierarchy.root.attributes == {"n": 1}
