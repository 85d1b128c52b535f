"""All versions of a repository as one hierarchy."""

from __future__ import annotations

import pickle
from pathlib import Path

import icechunk
import pytest

import zarrcore
from tests.core.stores.icechunk.repositories import Repository, assert_same, values_of, write
from zarrcore.errors import NodeNotFoundError
from zarrcore.stores.icechunk.version_tree import VersionTreeStore


@pytest.fixture(scope="module", params=[1, 2], ids=["format 1", "format 2"])
def repository(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return write(tmp_path_factory.mktemp("icechunk") / "repo", request.param)


def test_each_version_is_a_folder_with_its_values(repository: Repository) -> None:
    storage = icechunk.local_filesystem_storage(str(repository.path))
    with zarrcore.open_hierarchy(repository.path, all_versions=True) as hierarchy:
        assert [node.path for node in hierarchy.children("/")] == ["/branches", "/snapshots", "/tags"]
        assert [node.name for node in hierarchy.children("/branches")] == ["main", "side"]
        assert [node.name for node in hierarchy.children("/tags")] == ["v1"]
        ids = {node.name for node in hierarchy.children("/snapshots")}
        assert ids == {repository.first, repository.second, "1CECHNKREP0F1RSTCMT0"}
        assert_same(hierarchy, values_of(storage, branch="main"), "/branches/main")
        assert_same(hierarchy, values_of(storage, tag="v1"), "/tags/v1")
        assert_same(
            hierarchy, values_of(storage, snapshot_id=repository.first), f"/snapshots/{repository.first}"
        )
        for path in (
            "/branches/no",
            "/tags/main",
            "/snapshots/no",
            "/other",
            "/snapshots/00000000000000000000",
        ):
            with pytest.raises(NodeNotFoundError):
                hierarchy.node(path)


def test_an_empty_version_is_an_empty_group(repository: Repository) -> None:
    with zarrcore.open_hierarchy(repository.path, all_versions=True) as hierarchy:
        node = hierarchy["/snapshots/1CECHNKREP0F1RSTCMT0"]
        assert (node.kind, [*hierarchy.children(node.path)]) == ("group", [])


def test_keys_listings_and_values_agree(repository: Repository) -> None:
    with zarrcore.open_hierarchy(repository.path, all_versions=True) as hierarchy:
        store = hierarchy.store
        assert isinstance(store, VersionTreeStore)
        keys = [entry.key for entry in store.list()]
        assert len(keys) == len(set(keys)) > 60
        values = [store.get(key) for key in keys]
        assert all(value is not None for value in values)
        assert store.get_partial_values([(key, None) for key in keys]) == values
        for key, value in zip(keys, values, strict=True):
            facts = store.stat(key)
            assert facts is not None
            assert facts.size == len(value or b"")
        chunks = [key for key in keys if key.startswith("tags/v1/large/c/")]
        assert store.get_partial_values([(key, None) for key in chunks]) == [store.get(key) for key in chunks]
        assert {entry.key for entry in pickle.loads(pickle.dumps(store)).list()} == set(keys)
        assert dict(store.description())["branches"] == "main, side"


def test_a_new_branch_appears_and_a_moved_one_is_noticed(tmp_path: Path) -> None:
    written = write(tmp_path / "repo")
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(written.path)))
    with zarrcore.open_hierarchy(written.path, all_versions=True) as hierarchy:
        assert hierarchy["/branches/side/a/b"][3, 3] == -1
        repository.create_branch("new", written.second)
        repository.reset_branch("side", written.second)
        assert hierarchy["/branches/new/a/b"][3, 3] == 99
        assert hierarchy["/branches/side/a/b"][3, 3] == -1
        hierarchy.store.refresh()
        assert hierarchy["/branches/side/a/b"][3, 3] == 99


def test_a_version_that_is_broken_does_not_hide_the_others(tmp_path: Path) -> None:
    written = write(tmp_path / "repo")
    (written.path / "snapshots" / written.second).unlink()
    with zarrcore.open_hierarchy(written.path, all_versions=True) as hierarchy:
        kinds = {node.name: node.kind for node in hierarchy.children("/branches")}
        assert kinds == {"main": "broken", "side": "group"}
