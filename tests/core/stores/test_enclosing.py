"""Places inside files and folders that hold a hierarchy in another form."""

from __future__ import annotations

import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest

import zarrcore
from tests.command import run_inside
from tests.core.stores.precomputed.volumes import write_scale
from tests.servers import S3Server
from tests.servers.distant import distant_server
from zarrcore.errors import HierarchyNotFoundError, StoreError, StoreNotFoundError
from zarrcore.stores import MemoryStore, PrefixStore, open_store
from zarrcore.stores.enclosing import place_inside

VALUES = np.arange(12, dtype="i2").reshape(3, 4)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with h5py.File(tmp_path / "a.h5", "w") as file:
        file["group/x"] = VALUES
    with zipfile.ZipFile(tmp_path / "b.zip", "w") as archive:
        archive.write(tmp_path / "a.h5", "inner.h5")
        archive.writestr("deep/group/zarr.json", '{"zarr_format": 3, "node_type": "group"}')
    (tmp_path / "notes.txt").write_text("nothing")
    return tmp_path


def test_a_local_path_may_go_on_inside_a_file(folder: Path) -> None:
    assert np.array_equal(zarrcore.open(folder / "a.h5/group/x")["/"][...], VALUES)
    assert [node.path for node in zarrcore.open(folder / "a.h5/group").walk()] == ["/", "/x"]
    assert zarrcore.open(folder / "b.zip/deep/group").format.name == "v3"
    outcome = run_inside("cat", str(folder / "a.h5/group/x"), "/")
    assert outcome.status == 0, outcome.stderr


def test_a_local_path_may_go_on_inside_a_file_in_a_zip_file(folder: Path) -> None:
    with zipfile.ZipFile(folder / "c.zip", "w") as archive:
        archive.write(folder / "b.zip", "sub/b.zip")
    for inner in ("b.zip/inner.h5", "c.zip/sub/b.zip/inner.h5"):
        assert [node.path for node in zarrcore.open(folder / inner).walk()] == ["/", "/group", "/group/x"]
        assert np.array_equal(zarrcore.open(folder / inner / "group/x")["/"][...], VALUES)
        with pytest.raises(StoreNotFoundError, match=r"there is no .*inner\.h5/absent in"):
            zarrcore.open(folder / inner / "absent")


@pytest.mark.parametrize("path", ["a.h5/group/y", "a.h5/x/y/z", "b.zip/shallow"])
def test_what_a_file_does_not_contain_is_named(folder: Path, path: str) -> None:
    name, _, rest = path.partition("/")
    with pytest.raises(StoreNotFoundError, match=f"^there is no {rest} in .*{name}$"):
        zarrcore.open(folder / path)


def test_a_path_below_another_file_or_nothing_is_no_directory(folder: Path) -> None:
    with pytest.raises(StoreNotFoundError, match=r"notes\.txt/x is not a directory"):
        zarrcore.open(folder / "notes.txt/x")
    with pytest.raises(StoreNotFoundError, match="there is no directory"):
        zarrcore.open(folder / "absent/x")
    (folder / "broken.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(StoreError, match=r"broken\.h5 is a broken HDF5 file"):
        zarrcore.open(folder / "broken.h5/x")


def test_nothing_is_made_inside_a_file(folder: Path) -> None:
    before = (folder / "a.h5").read_bytes()
    with pytest.raises(StoreError):
        zarrcore.create(folder / "a.h5/new")
    assert (folder / "a.h5").read_bytes() == before


@pytest.mark.parametrize("name", ["a.h5/group", "b.zip/deep/group"])
def test_a_url_may_go_on_inside_a_file(folder: Path, name: str) -> None:
    with distant_server(folder.parent) as server:
        found = zarrcore.open(f"{server.url}/{folder.name}/{name}")
        assert found.format.name == "v3"
        assert found["/"].path == "/"
        with pytest.raises(HierarchyNotFoundError):
            zarrcore.open(f"{server.url}/{folder.name}/a.h5/absent")


@pytest.mark.parametrize("name", ["a.h5", "archive.zip"])
def test_an_object_may_go_on(s3: S3Server, folder: Path, name: str) -> None:
    content = (folder / ("a.h5" if name == "a.h5" else "b.zip")).read_bytes()
    s3.put(f"bucket/{name}", content)
    below = "group" if name == "a.h5" else "deep/group"
    assert zarrcore.open(f"s3://bucket/{name}/{below}", **s3.options)["/"].kind == "group"


@pytest.mark.parametrize("at", ["local", "web"])
def test_a_scale_of_a_volume_is_a_place(tmp_path: Path, at: str) -> None:
    volume = tmp_path / "data" / "volume"
    values = np.arange(10 * 11 * 12, dtype="u2").reshape(1, 10, 11, 12)
    write_scale(volume, values)
    with distant_server(tmp_path) as server:
        root = str(tmp_path) if at == "local" else server.url
        assert np.array_equal(zarrcore.open(f"{root}/data/volume/8_8_8")["/"][...], values[0])
        for absent in ("7_7_7", "8_8_8/c"):
            with pytest.raises((HierarchyNotFoundError, StoreNotFoundError)):
                zarrcore.open(f"{root}/data/volume/{absent}")


def test_stores_without_paths_have_nothing_above() -> None:
    store = MemoryStore("x/y", {"a": b"1"})
    assert place_inside(store) is None
    assert place_inside(PrefixStore(store, "a/")) is None
    with open_store("memory://x/y") as same, pytest.raises(HierarchyNotFoundError):
        zarrcore.open(same)
