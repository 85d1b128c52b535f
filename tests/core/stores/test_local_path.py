"""Paths of this machine that lead on inside files."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.command import run_inside
from zarrcore.errors import StoreError, StoreNotFoundError

VALUES = np.arange(12, dtype="i2").reshape(3, 4)


def test_a_local_path_may_go_on_inside_a_file(inhabited: Path) -> None:
    assert np.array_equal(zarrcore.open_hierarchy(inhabited / "a.h5/group/x")["/"][...], VALUES)
    assert [node.path for node in zarrcore.open_hierarchy(inhabited / "a.h5/group").walk()] == ["/", "/x"]
    assert zarrcore.open_hierarchy(inhabited / "b.zip/deep/group").format.name == "v3"
    outcome = run_inside("cat", str(inhabited / "a.h5/group/x"), "/")
    assert outcome.status == 0, outcome.stderr


def test_a_local_path_may_go_on_inside_a_file_in_a_zip_file(inhabited: Path) -> None:
    with zipfile.ZipFile(inhabited / "c.zip", "w") as archive:
        archive.write(inhabited / "b.zip", "sub/b.zip")
    for inner in ("b.zip/inner.h5", "c.zip/sub/b.zip/inner.h5"):
        assert [node.path for node in zarrcore.open_hierarchy(inhabited / inner).walk()] == [
            "/",
            "/group",
            "/group/x",
        ]
        assert np.array_equal(zarrcore.open_hierarchy(inhabited / inner / "group/x")["/"][...], VALUES)
        with pytest.raises(StoreNotFoundError, match=r"there is no .*inner\.h5/absent in"):
            zarrcore.open_hierarchy(inhabited / inner / "absent")


@pytest.mark.parametrize("path", ["a.h5/group/y", "a.h5/x/y/z", "b.zip/shallow"])
def test_what_a_file_does_not_contain_is_named(inhabited: Path, path: str) -> None:
    name, _, rest = path.partition("/")
    with pytest.raises(StoreNotFoundError, match=f"^there is no {rest} in .*{name}$"):
        zarrcore.open_hierarchy(inhabited / path)


def test_a_node_without_a_slash_is_told_how_to_write_it(inhabited: Path) -> None:
    with pytest.raises(
        StoreNotFoundError, match=r"there is no file .*a\.h5#group; for .* write .*a\.h5#/group$"
    ):
        zarrcore.open_hierarchy(f"{inhabited}/a.h5#group")
    with pytest.raises(StoreNotFoundError, match=r"there is no file or directory .*b\.h5#group$"):
        zarrcore.open_hierarchy(f"{inhabited}/b.h5#group")


def test_a_path_below_another_file_or_nothing_is_no_directory(inhabited: Path) -> None:
    with pytest.raises(StoreNotFoundError, match=r"notes\.txt/x is not a directory"):
        zarrcore.open_hierarchy(inhabited / "notes.txt/x")
    with pytest.raises(StoreNotFoundError, match="there is no file or directory"):
        zarrcore.open_hierarchy(inhabited / "absent/x")
    (inhabited / "broken.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    with pytest.raises(StoreError, match=r"broken\.h5 is a broken HDF5 file"):
        zarrcore.open_hierarchy(inhabited / "broken.h5/x")


def test_nothing_is_made_inside_a_file(inhabited: Path) -> None:
    before = (inhabited / "a.h5").read_bytes()
    with pytest.raises(StoreError):
        zarrcore.create(inhabited / "a.h5/new")
    assert (inhabited / "a.h5").read_bytes() == before
