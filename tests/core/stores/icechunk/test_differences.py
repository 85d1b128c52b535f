"""Differences between versions, compared with what zarr-python reads from them."""

from __future__ import annotations

import shutil
import tempfile
from itertools import product
from typing import Any

import icechunk
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.campaigns import ALL
from tests.core.stores.icechunk.repositories import values_of
from zarrcore.stores import open_store
from zarrcore.stores.icechunk.differences import difference
from zarrcore.stores.icechunk.repository import Repository
from zarrcore.stores.icechunk.versions import Version

_CHANGES = st.lists(st.tuples(st.sampled_from("xyz"), st.integers(-1, 7), st.integers(-3, 3)), max_size=4)


@given(commits=st.lists(st.tuples(st.sampled_from(["main", "side"]), _CHANGES), max_size=5))
@settings(max_examples=20 if ALL else 10, deadline=None)
def test_every_pair_of_versions_is_compared(commits: list[Any]) -> None:
    folder = tempfile.mkdtemp()
    try:
        storage = icechunk.local_filesystem_storage(folder)
        written = icechunk.Repository.create(storage)
        session = written.writable_session("main")
        zarr.create_group(session.store)
        snapshots = [session.commit("start")]
        written.create_branch("side", snapshots[0])
        for branch, changes in commits:
            session = written.writable_session(branch)
            root = zarr.open_group(session.store)
            for name, position, value in changes:
                if position < 0:
                    if name in root:
                        del root[name]
                    continue
                if name not in root:
                    root.create_array(name, shape=(8,), chunks=(3,), dtype="i2")
                array = root[name]
                assert isinstance(array, zarr.Array)
                array[position] = value
            snapshots.append(session.commit("changes", allow_empty=True))
        repository = Repository(open_store(folder))
        values = {snapshot: values_of(storage, snapshot_id=snapshot) for snapshot in snapshots}
        for one, other in product(snapshots, snapshots):
            found = difference(repository, Version("snapshot", one), Version("snapshot", other))
            before, after = values[one], values[other]
            assert set(found.added) == after.keys() - before.keys()
            assert set(found.deleted) == before.keys() - after.keys()
            changed = {path for path in before.keys() & after.keys() if (before[path] != after[path]).any()}
            assert changed <= set(found.chunks)
            if one == other:
                assert found.is_empty
    finally:
        shutil.rmtree(folder)
