"""A document that is damaged for a moment: readers that already hold the array get an error, never the fill value."""

from __future__ import annotations

import errno
import os
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import fsspec
import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.campaigns import ALL
from tests.servers import fault_server
from tests.zfs.conftest import Mounter
from tests.zfs.http.serving import get, serving
from zarrcore.errors import MetadataError

VALUES = np.arange(1, 7, dtype="int32")
DOCUMENTS = {
    "v3": ("zarr.json", "g/zarr.json", "g/a/zarr.json"),
    "v2": (".zgroup", "g/.zgroup", "g/a/.zarray", "g/a/.zattrs"),
    "n5": ("attributes.json", "g/attributes.json", "g/a/attributes.json"),
}
LOGIN = b"<!DOCTYPE html><title>Log in</title>"
NAMES = ("zarr3/g/a/c/2", "zarr3/g/a/zarr.json", "arrays/g/a/data.raw", "arrays/g/a/data.npy", "hdf5/g/a.h5")


def write(path: Path, format_name: str) -> Path:
    hierarchy = zc.create(path / f"h.{format_name}", format=format_name)
    hierarchy.create_group("g", attributes={"b": 2})
    hierarchy.create_array("g/a", shape=(6,), dtype="int32", chunks=(2,), attributes={"b": 2})[...] = VALUES
    return path / f"h.{format_name}"


@pytest.fixture(params=DOCUMENTS)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, tuple[str, ...]]:
    """A hierarchy, and the documents of its array and of the nodes above it."""
    return write(tmp_path, request.param), DOCUMENTS[request.param]


def damages(path: Path, documents: tuple[str, ...]) -> Iterator[str]:
    """Each document is damaged in turn, and repaired: in each way as a campaign, otherwise each in another way."""
    for number, document in enumerate(documents):
        good = (path / document).read_bytes()
        ways = (b"", good[: len(good) // 2], LOGIN)
        for damage in ways if ALL else ways[number % 3 : number % 3 + 1]:
            (path / document).write_bytes(damage)
            yield document
        (path / document).write_bytes(good)


def test_no_name_below_a_damaged_document_is_absent(
    written: tuple[Path, tuple[str, ...]], mount: Mounter
) -> None:
    """S28: "A failure is always an error"; S4: "Any other name there gives EIO"."""
    path, documents = written
    mounted = mount(path, "--metadata-ttl", "0")
    array = zarr.open_array(mounted.path / "zarr3/g/a", mode="r")
    np.testing.assert_array_equal(array[:], VALUES)
    for document in damages(path, documents):
        with pytest.raises(OSError, match="Input/output"):
            array[:]
        for name in NAMES:
            with pytest.raises(OSError) as caught:  # noqa: PT011 - its errno is looked at
                os.stat(mounted.path / name)
            assert caught.value.errno == errno.EIO, (document, name)
        # The root's document is named with its store.
        assert re.search(rf"{re.escape(Path(document).name)}( in {path})?: expected", mounted.log.read_text())
    np.testing.assert_array_equal(array[:], VALUES)
    assert (mounted.path / "arrays/g/a/data.raw").read_bytes() == VALUES.tobytes()


def test_a_server_fails_and_does_not_answer_that_nothing_is_there(
    written: tuple[Path, tuple[str, ...]],
) -> None:
    path, documents = written
    with serving(path, ttl_s=0) as served:
        for document in damages(path, documents):
            for name in NAMES:
                assert get(f"{served.url}/{name}").status_code == 500, (document, name)
        assert get(f"{served.url}/{NAMES[0]}").content == VALUES[4:].tobytes()


def test_a_file_system_of_fsspec_raises_the_error(written: tuple[Path, tuple[str, ...]]) -> None:
    path, documents = written
    files = fsspec.filesystem("zarrscope", source=path, metadata_ttl=0)
    for document in damages(path, documents):
        for name in NAMES:
            with pytest.raises(MetadataError, match=Path(document).name):
                files.cat_file(name)
    assert files.cat_file(NAMES[0]) == VALUES[4:].tobytes()


@pytest.mark.parametrize("name", ["h.v3", "h.v2", "h.n5"])
def test_a_damaged_root_in_a_folder_of_hierarchies(tmp_path: Path, mount: Mounter, name: str) -> None:
    folder = tmp_path / "folder"
    path = write(folder, name[2:])
    zc.create(folder / "other.zarr")
    root = path / DOCUMENTS[name[2:]][0]
    good = root.read_bytes()
    mounted = mount(folder)
    array = zarr.open_array(mounted.path / f"zarr3/{name}/g/a", mode="r")
    for damage in (b"", good[: len(good) // 2], LOGIN):
        root.write_bytes(damage)
        mounted.refresh()
        with pytest.raises(OSError, match="Input/output"):
            array[:]
        with pytest.raises((MetadataError, KeyError)) as caught:
            zc.open_hierarchy(folder)[f"{name}/g/a/none"]
        assert isinstance(caught.value, MetadataError) or "no node" in str(caught.value)
    root.write_bytes(good)
    mounted.refresh()
    np.testing.assert_array_equal(array[:], VALUES)


def test_a_login_page_in_place_of_each_document(tmp_path: Path, mount: Mounter) -> None:
    path = write(tmp_path, "v3")
    good = {f"h/{file.relative_to(path)}": file.read_bytes() for file in path.rglob("*") if file.is_file()}
    with fault_server() as faults:
        faults.values.update(good)
        mounted = mount(f"{faults.url}/h", "--metadata-ttl", "0", "--retries", "0")
        array = zarr.open_array(mounted.path / "zarr3/g/a", mode="r")
        faults.values.update(dict.fromkeys(good, LOGIN))
        for name in NAMES:
            with pytest.raises(OSError, match="Input/output"):
                (mounted.path / name).read_bytes()
        with pytest.raises(OSError, match="Input/output"):
            array[:]
        faults.values.update(good)
        np.testing.assert_array_equal(array[:], VALUES)


def test_attributes_that_are_set_all_the_time(written: tuple[Path, tuple[str, ...]], mount: Mounter) -> None:
    """Every read gives the right bytes or fails, and the last one succeeds."""
    path, documents = written
    mounted = mount(path, "--metadata-ttl", "0")
    array = zarr.open_array(mounted.path / "zarr3/g/a", mode="r")
    document, ended = path / documents[-1], threading.Event()
    good = document.read_bytes()

    def rewrite() -> None:
        while not ended.is_set():
            with document.open("wb", buffering=0) as file:
                for start in range(0, len(good), 40):
                    file.write(good[start : start + 40])

    writer = threading.Thread(target=rewrite)
    writer.start()
    try:
        for _ in range(40):
            try:
                np.testing.assert_array_equal(array[:], VALUES)
            except OSError as error:
                assert error.errno == errno.EIO  # noqa: PT017 - either is right
    finally:
        ended.set()
        writer.join()
    np.testing.assert_array_equal(array[:], VALUES)
