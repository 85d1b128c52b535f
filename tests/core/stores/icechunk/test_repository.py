"""Repositories: names, logs and words for versions."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from tests.core.stores.icechunk.repositories import Repository as Written
from tests.core.stores.icechunk.repositories import write
from zarrcore.errors import StoreError, StoreNotFoundError
from zarrcore.stores import open_store
from zarrcore.stores.icechunk.repository import Repository
from zarrcore.stores.icechunk.versions import MAIN, Version


@pytest.fixture(scope="module", params=[1, 2], ids=["format 1", "format 2"])
def written(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Written:
    return write(tmp_path_factory.mktemp("icechunk") / "repo", request.param)


@pytest.fixture
def repository(written: Written) -> Repository:
    return Repository(open_store(written.path))


def test_names_and_log(written: Written, repository: Repository) -> None:
    assert (repository.names("branch"), repository.names("tag")) == (["main", "side"], ["v1"])
    log = [*repository.log(MAIN)]
    assert [one.id for one in log[:2]] == [written.second, written.first]
    assert [one.parent_id for one in log] == [*(one.id for one in log[1:]), None]
    assert [one.message for one in repository.log(MAIN, 1)] == ["second"]


def test_words_name_versions(written: Written, repository: Repository) -> None:
    assert repository.find("side") == Version("branch", "side")
    assert repository.find("v1") == Version("tag", "v1")
    assert repository.find(written.first) == Version("snapshot", written.first)
    assert repository.find("branch:v1") == Version("branch", "v1")
    with pytest.raises(
        StoreNotFoundError, match="no branch, tag or snapshot no; branches: main, side; tags: v1"
    ):
        repository.find("no")


def test_each_choice_opens(repository: Repository) -> None:
    labels = [label for label, _ in repository.choices()]
    assert labels[:4] == ["all versions", "branch main", "branch side", "tag v1"]
    for _, url in repository.choices()[1:4]:
        assert open_store(url).get("zarr.json") is not None


def test_it_is_opened_again_in_another_process(repository: Repository) -> None:
    other = pickle.loads(pickle.dumps(repository))
    assert other.snapshot_id(MAIN) == repository.snapshot_id(MAIN)


def test_a_folder_becomes_a_repository_once(tmp_path: Path) -> None:
    repository = Repository(open_store(tmp_path / "new", create=True))
    assert repository.is_new()
    first = repository.create()
    repository.create_branch("dev", first)
    assert not repository.is_new()
    assert repository.snapshot_id(Version("branch", "dev")) == first
    with pytest.raises(StoreError):
        Repository(open_store(tmp_path / "new")).create()
