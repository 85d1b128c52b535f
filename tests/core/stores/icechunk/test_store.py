"""Versions of repositories as stores, compared with zarr-python on icechunk."""

from __future__ import annotations

import pickle
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import icechunk
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.campaigns import ALL
from tests.core.stores.icechunk.repositories import Repository, assert_same, create, values_of, write
from tests.servers import AzureServer, GCSServer, S3Server
from zarrcore.errors import (
    BodyTooLargeError,
    HierarchyNotFoundError,
    InvalidKeyError,
    StoreError,
    StoreNotFoundError,
)
from zarrcore.stores import ByteRange, open_store
from zarrcore.stores.icechunk.store import IcechunkStore


@pytest.fixture(scope="module", params=[1, 2], ids=["format 1", "format 2"])
def repository(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return write(tmp_path_factory.mktemp("icechunk") / "repo", request.param)


@pytest.fixture
def store(repository: Repository) -> IcechunkStore:
    found = open_store(f"{repository.path}|icechunk:")
    assert isinstance(found, IcechunkStore)
    return found


def test_every_version_has_the_values_that_zarr_python_reads(repository: Repository) -> None:
    storage = icechunk.local_filesystem_storage(str(repository.path))
    for chosen, version in (
        ({}, {"branch": "main"}),
        ({"branch": "side"}, {"branch": "side"}),
        ({"tag": "v1"}, {"tag": "v1"}),
        ({"snapshot": repository.first}, {"snapshot_id": repository.first}),
    ):
        with zarrcore.open_hierarchy(repository.path, **chosen) as hierarchy:
            assert_same(hierarchy, values_of(storage, **version))
            assert hierarchy.root.attributes == {"title": "weather"}


def test_urls_name_versions(repository: Repository) -> None:
    for url in (
        f"{repository.path}?tag=v1",
        f"file://{repository.path}?branch=side",
        f"{repository.path}?snapshot={repository.first}",
        f"{repository.path}|icechunk://tag.v1/",
        f"{repository.path}|icechunk://branch.side",
        f"{repository.path}|icechunk://{repository.first}/|zarr3:",
    ):
        with zarrcore.open_hierarchy(url) as hierarchy:
            assert hierarchy["/a/b"][3, 3] == -1
    with zarrcore.open_hierarchy(f"{repository.path}|icechunk://branch.main/a/b") as hierarchy:
        assert hierarchy["/"][3, 3] == 99
        assert zarrcore.open_hierarchy(hierarchy.url)["/"].shape == (4, 6)


def test_keys_and_ranges_are_those_of_the_contract(store: IcechunkStore) -> None:
    keys = [entry.key for entry in store.list()]
    assert len(keys) == len(set(keys)) == 18
    for key in keys:
        value = bytes(store.get(key) or b"")
        facts = store.stat(key)
        assert facts is not None
        assert facts.size == len(value) > 0
        for byte_range in (
            ByteRange(1, 5),
            ByteRange(3),
            ByteRange(-4),
            ByteRange(-9999),
            ByteRange(2, 10**6),
        ):
            start, stop = byte_range.resolve(len(value))
            assert store.get(key, byte_range) == value[start:stop]
        assert store.get(key, ByteRange(10**6, 10**6 + 1)) == store.get(key, ByteRange(0, 0)) == b""
        with pytest.raises(BodyTooLargeError):
            store.get(key, max_nbytes=len(value) - 1)
        assert store.get(key, max_nbytes=len(value)) == value
    for key in (
        "no",
        "a",
        "a/b/c/9/9",
        "a/b/c/x/y",
        "no/zarr.json",
        "a/../a/zarr.json",
        "a/b/c/1",
        ".zgroup",
    ):
        assert store.get(key) is store.stat(key) is None
        assert store.get(key, ByteRange(0, 0)) is None
    with pytest.raises(InvalidKeyError):
        store.get("a/")
    wanted: list[Any] = [(key, None) for key in (*keys, "no")]
    assert store.get_partial_values(wanted) == [store.get(key) for key, _ in wanted]


def test_listings_agree_with_each_other(store: IcechunkStore) -> None:
    keys = {entry.key for entry in store.list()}

    def walk(prefix: str) -> set[str]:
        entries = [*store.list_dir(prefix)]
        assert len({entry.key for entry in entries}) == len(entries)
        below = (walk(entry.key) for entry in entries if entry.is_prefix)
        return {entry.key for entry in entries if not entry.is_prefix}.union(*below)

    assert walk("") == keys
    for prefix in ("a/", "a/b/", "a/b/c/", "a/b/c/0/", "large/c/", "no/", "a/no/", "scalar/", "a/b/c/9/"):
        assert {entry.key for entry in store.list_prefix(prefix)} == {
            key for key in keys if key.startswith(prefix)
        }
        assert walk(prefix) == {key for key in keys if key.startswith(prefix)}


def test_threads_share_a_store_and_processes_get_the_same_snapshot(store: IcechunkStore) -> None:
    keys = [entry.key for entry in store.list()] * 20
    values = [store.get(key) for key in keys]
    with ThreadPoolExecutor(16) as threads:
        assert [*threads.map(store.get, keys)] == values
    other = pickle.loads(pickle.dumps(store))
    assert other.snapshot_id == store.snapshot_id
    assert [other.get(key) for key in keys[:20]] == values[:20]


def test_a_branch_stays_at_its_snapshot_until_a_refresh(tmp_path: Path) -> None:
    write(tmp_path / "repo")
    with (
        zarrcore.open_hierarchy(tmp_path / "repo") as hierarchy,
        zarrcore.open_hierarchy(tmp_path / "repo", branch_max_age_s=0) as live,
    ):
        assert hierarchy["/a/b"][0, 0] == live["/a/b"][0, 0] == 0
        repository = icechunk.Repository.open(icechunk.local_filesystem_storage(str(tmp_path / "repo")))
        session = repository.writable_session("main")
        zarr.open_group(session.store)["a/b"][0, 0] = 5
        session.commit("third")
        assert hierarchy["/a/b"][0, 0] == 0
        assert live["/a/b"][0, 0] == 5
        hierarchy.store.refresh()
        hierarchy.refresh()
        assert hierarchy["/a/b"][0, 0] == 5


def test_what_is_absent_or_broken_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "repo"
    repository = write(path)
    with pytest.raises(StoreNotFoundError, match="has no branch no; it has main, side"):
        zarrcore.open_hierarchy(path, branch="no")
    with pytest.raises(StoreNotFoundError, match="has no tag no; it has v1"):
        zarrcore.open_hierarchy(path, tag="no")
    with pytest.raises(StoreError, match="there is one version"):
        open_store(path, tag="v1", branch="main")
    with pytest.raises(StoreError, match="names no version"):
        open_store(f"{path}|icechunk://v1/")
    with pytest.raises(StoreError, match="has no snapshot no"):
        zarrcore.open_hierarchy(path, snapshot="no")
    (tmp_path / "empty").mkdir()
    with pytest.raises(StoreNotFoundError, match="holds no Icechunk repository"):
        zarrcore.open_hierarchy(f"{tmp_path}/empty|icechunk:")
    chunk = max((path / "chunks").iterdir(), key=lambda file: file.stat().st_size)
    chunk.unlink()
    with zarrcore.open_hierarchy(path) as hierarchy, pytest.raises(StoreError, match="deleted"):
        hierarchy["/large"][...]
    (path / "snapshots" / repository.second).unlink()
    with pytest.raises(StoreError, match=r"repo.*broken, or a part of it was deleted"):
        zarrcore.open_hierarchy(path)
    (path / "repo").write_bytes((path / "repo").read_bytes()[:60])
    with pytest.raises(StoreError, match="repo"):
        zarrcore.open_hierarchy(path)


def test_a_broken_branch_of_format_1_is_one_clear_line(tmp_path: Path) -> None:
    write(tmp_path / "repo", 1)
    (tmp_path / "repo/refs/branch.main/ref.json").write_text('{"snapshot": 7')
    with pytest.raises((StoreError, HierarchyNotFoundError), match="repo"):
        zarrcore.open_hierarchy(f"{tmp_path}/repo|icechunk:")


def test_an_empty_repository_holds_no_hierarchy(tmp_path: Path) -> None:
    icechunk.Repository.create(icechunk.local_filesystem_storage(str(tmp_path / "repo")))
    with pytest.raises(HierarchyNotFoundError, match=r"repo\|icechunk://branch.main/ holds no hierarchy"):
        zarrcore.open_hierarchy(tmp_path / "repo")


def test_the_description_has_the_version_and_the_log(repository: Repository, store: IcechunkStore) -> None:
    (label, version), (_, log) = store.description()
    assert (label, version) == ("version", f"branch main, snapshot {repository.second}")
    assert [line[:20] for line in log.splitlines()][:2] == [repository.second, repository.first]
    assert log.splitlines()[0].endswith("  second")
    assert open_store(f"{repository.path}|icechunk://branch.main/").notes() == []
    (note,) = zarrcore.open_hierarchy(repository.path).store.notes()
    assert "branch main" in note


def test_a_repository_in_s3(s3: S3Server) -> None:
    storage = icechunk.s3_storage(
        bucket="bucket",
        prefix="icechunk/repo",
        region="us-east-1",
        endpoint_url=s3.endpoint_url,
        allow_http=True,
        force_path_style=True,
        access_key_id="testing-key",
        secret_access_key="testing-secret",
    )
    create(storage)
    for url, options in (("s3://bucket/icechunk/repo", {}), ("s3://bucket/icechunk/repo?tag=v1", {})):
        with zarrcore.open_hierarchy(url, **s3.options, **options) as hierarchy:
            version = {"tag": "v1"} if "?" in url else {"branch": "main"}
            assert_same(hierarchy, values_of(storage, **version))
    with zarrcore.open_hierarchy("s3://bucket/icechunk", **s3.options) as hierarchy:
        assert_same(hierarchy, values_of(storage, branch="main"), "/repo")


def test_a_repository_in_gcs(gcs: GCSServer, s3: S3Server, tmp_path: Path) -> None:
    # The service cannot replace values conditionally, so that icechunk cannot write there.
    repository = write(tmp_path / "repo")
    s3.upload(repository.path, "gcs/icechunk/repo")
    with zarrcore.open_hierarchy("gs://gcs/icechunk/repo", **gcs.options) as hierarchy:
        assert_same(
            hierarchy, values_of(icechunk.local_filesystem_storage(str(repository.path)), branch="main")
        )


def test_a_repository_in_azure(azure: AzureServer) -> None:
    from tests.servers.azure import AZURE_ENVIRONMENT

    storage = icechunk.azure_storage(
        account=AZURE_ENVIRONMENT["AZURE_STORAGE_ACCOUNT_NAME"],
        container="container",
        prefix="icechunk/repo",
        access_key=AZURE_ENVIRONMENT["AZURE_STORAGE_ACCOUNT_KEY"],
        config={"azure_storage_endpoint": azure.endpoint_url, "azure_allow_http": "true"},
    )
    create(storage)
    with zarrcore.open_hierarchy("az://container/icechunk/repo", **azure.options) as hierarchy:
        assert_same(hierarchy, values_of(storage, branch="main"))


_WRITES = st.lists(
    st.tuples(st.sampled_from("xyz"), st.integers(0, 6), st.integers(1, 7), st.integers(-5, 5)), max_size=6
)


@given(commits=st.lists(_WRITES, min_size=1, max_size=4), spec_version=st.sampled_from([1, 2]))
@settings(max_examples=25 if ALL else 10, deadline=None)
def test_each_of_random_commits_has_the_values_of_zarr_python(commits: list[Any], spec_version: int) -> None:
    folder = tempfile.mkdtemp()
    try:
        storage = icechunk.local_filesystem_storage(folder)
        repository = icechunk.Repository.create(storage, spec_version=spec_version)
        snapshots = []
        for number, writes in enumerate(commits):
            session = repository.writable_session("main")
            root = zarr.open_group(session.store, mode="a")
            for name, start, length, value in writes:
                if name not in root:
                    root.create_array(name, shape=(8,), chunks=(3,), dtype="i2", fill_value=9)
                array = root[name]
                assert isinstance(array, zarr.Array)
                array[start : start + length] = value
            root.attrs["number"] = number
            snapshots.append(session.commit(str(number)))
        for number, snapshot in enumerate(snapshots):
            with zarrcore.open_hierarchy(folder, snapshot=snapshot) as hierarchy:
                assert hierarchy.root.attributes["number"] == number
                assert_same(hierarchy, values_of(storage, snapshot_id=snapshot))
        assert np.array_equal([len(snapshots)], [len(commits)])
    finally:
        shutil.rmtree(folder)
