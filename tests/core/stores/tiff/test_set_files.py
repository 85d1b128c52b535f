"""The other files of a set: opened once, and again if they change."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.core.stores.tiff.files import written
from zarrcore.errors import BrokenReferenceError
from zarrcore.stores.local.store import LocalStore
from zarrcore.stores.tiff import set_files
from zarrcore.stores.tiff.set_files import SetFiles
from zarrcore.stores.virtual.file_reader import FileReader

XML = '<OME xmlns="http://www.openmicroscopy.org/Schemas/OME/2016-06"></OME>'


@pytest.fixture
def files(tmp_path: Path) -> SetFiles:
    for name in ("a.tif", "b.tif"):
        (tmp_path / name).write_bytes(
            written(np.zeros((3, 4, 4), "u1"), description=XML, metadata=None, photometric="minisblack")
        )
    return SetFiles(FileReader(LocalStore(tmp_path), "a.tif", "a.tif"))


def test_a_file_is_opened_once_until_it_changes(
    files: SetFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = files.tiff("b.tif")
    assert files.tiff("b.tif") is first
    monkeypatch.setattr(set_files, "_CHECKED_EACH_S", -1.0)
    assert files.tiff("b.tif") is first
    (tmp_path / "b.tif").write_bytes(
        written(np.zeros((5, 4, 4), "u1"), metadata=None, photometric="minisblack")
    )
    assert len(files.tiff("b.tif").pages) == 5


def test_few_files_are_open_at_once(files: SetFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(set_files, "_OPEN_MAX", 1)
    (tmp_path / "c.tif").write_bytes((tmp_path / "b.tif").read_bytes())
    first = files.tiff("b.tif")
    files.tiff("c.tif")
    assert files.tiff("b.tif") is not first


def test_pages_and_files_that_do_not_exist_are_named(files: SetFiles) -> None:
    assert files.page("b.tif", 2).index == 2
    with pytest.raises(BrokenReferenceError, match=r"'b\.tif', which a\.tif names .*, has no page 3"):
        files.page("b.tif", 3)
    with pytest.raises(BrokenReferenceError, match=r"'d\.tif', which a\.tif names .*, does not exist"):
        files.reader("d.tif")


def test_metadata_are_text_or_in_a_file(files: SetFiles, tmp_path: Path) -> None:
    (tmp_path / "a.companion.ome").write_text(XML, "utf-8")
    assert files.xml("a.companion.ome") == files.xml("b.tif") == XML
    assert files.xml("none.ome") is None
    files.close()
