"""Places inside files and folders that hold a hierarchy in another form."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.core.stores.precomputed.volumes import write_scale
from tests.servers import S3Server
from tests.servers.distant import distant_server
from zarrcore.errors import HierarchyNotFoundError, StoreNotFoundError
from zarrcore.stores import MemoryStore, PrefixStore, open_store
from zarrcore.stores.enclosing import place_inside


@pytest.mark.parametrize("name", ["a.h5/group", "b.zip/deep/group"])
def test_a_url_may_go_on_inside_a_file(inhabited: Path, name: str) -> None:
    with distant_server(inhabited.parent) as server:
        found = zarrcore.open_hierarchy(f"{server.url}/{inhabited.name}/{name}")
        assert found.format.name == "v3"
        assert found["/"].path == "/"
        with pytest.raises(HierarchyNotFoundError):
            zarrcore.open_hierarchy(f"{server.url}/{inhabited.name}/a.h5/absent")


@pytest.mark.parametrize("name", ["a.h5", "archive.zip"])
def test_an_object_may_go_on(s3: S3Server, inhabited: Path, name: str) -> None:
    content = (inhabited / ("a.h5" if name == "a.h5" else "b.zip")).read_bytes()
    s3.put(f"bucket/{name}", content)
    below = "group" if name == "a.h5" else "deep/group"
    assert zarrcore.open_hierarchy(f"s3://bucket/{name}/{below}", **s3.options)["/"].kind == "group"


@pytest.mark.parametrize("at", ["local", "web"])
def test_a_scale_of_a_volume_is_a_place(tmp_path: Path, at: str) -> None:
    volume = tmp_path / "data" / "volume"
    values = np.arange(10 * 11 * 12, dtype="u2").reshape(1, 10, 11, 12)
    write_scale(volume, values)
    with distant_server(tmp_path) as server:
        root = str(tmp_path) if at == "local" else server.url
        assert np.array_equal(zarrcore.open_hierarchy(f"{root}/data/volume/8_8_8")["/"][...], values[0])
        for absent in ("7_7_7", "8_8_8/c"):
            with pytest.raises((HierarchyNotFoundError, StoreNotFoundError)):
                zarrcore.open_hierarchy(f"{root}/data/volume/{absent}")


def test_stores_without_paths_have_nothing_above() -> None:
    store = MemoryStore("x/y", {"a": b"1"})
    assert place_inside(store) is None
    assert place_inside(PrefixStore(store, "a/")) is None
    with open_store("memory://x/y") as same, pytest.raises(HierarchyNotFoundError):
        zarrcore.open_hierarchy(same)
