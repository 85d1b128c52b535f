"""URL pipelines lead to the same data as other ways."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import zarrcore
from tests.command import run_inside
from zarrcore.errors import StoreError
from zarrcore.stores import open_store
from zarrcore.stores.pipelined_urls import is_pipeline


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of a hierarchy in Zarr v2 and one in v3, a zip file of it named as if it were none, and that one in another."""
    for name, format_name in (("a b", "v2"), ("c", "v3")):
        with zarrcore.create(tmp_path / "data" / name, format_name) as hierarchy:
            hierarchy.create_array("/x", shape=(3,), dtype="int16")[...] = np.arange(3)
    with zipfile.ZipFile(tmp_path / "archive.bin", "w") as archive:
        for file in sorted((tmp_path / "data").rglob("*")):
            if file.is_file():
                archive.write(file, f"data/{file.relative_to(tmp_path / 'data')}")
    with zipfile.ZipFile(tmp_path / "outer.zip", "w") as archive:
        archive.write(tmp_path / "archive.bin", "inner/archive.bin")
    return tmp_path


@pytest.mark.parametrize(
    ("pipeline", "path"),
    [
        ("data|zarr2:a b", "/x"),
        ("data|zarr2:a%20b/", "/x"),
        ("data/c|zarr3:", "/x"),
        ("data|auto:", "/c/x"),
        ("archive.bin|zip:", "/data/c/x"),
        ("archive.bin|zip:data/c|zarr3:", "/x"),
        ("archive.bin|zip:data/a b/|zarr2:", "/x"),
        ("outer.zip|zip:inner/archive.bin|zip:data/c", "/x"),
    ],
)
def test_a_pipeline_leads_to_the_array(folder: Path, pipeline: str, path: str) -> None:
    for root in (str(folder), f"file://{folder}"):
        with zarrcore.open_hierarchy(f"{root}/{pipeline}") as hierarchy:
            assert hierarchy[path][...].tolist() == [0, 1, 2]


def test_a_named_format_is_the_one_that_opens(tmp_path: Path) -> None:
    for name in ("v2", "v3"):
        with zarrcore.create(tmp_path / name, name) as hierarchy:
            hierarchy.create_array("/x", shape=(3,), dtype="int16")
    for file in (tmp_path / "v2").iterdir():
        if file.is_file():
            file.rename(tmp_path / "v3" / file.name)
    for adapter, name in (("zarr2", "v2"), ("zarr3", "v3")):
        with zarrcore.open_hierarchy(f"{tmp_path}/v3|{adapter}:") as hierarchy:
            assert hierarchy.format.name == name


@pytest.mark.parametrize(
    ("pipeline", "message"),
    [
        ("data|tar:", "tar: is not an adapter of URLs that zarrscope knows; known are zip:"),
        ("data|zarr3:c|zip:", "c.* is not a file|has no|there is no"),
        ("data|auto:|zip:", "is a folder: zip: needs the path of a file in it"),
        ("nothing.zip|zip:", "there is no file"),
    ],
)
def test_a_wrong_pipeline_is_one_clear_line(folder: Path, pipeline: str, message: str) -> None:
    with pytest.raises(StoreError, match=message), open_store(f"{folder}/{pipeline}") as store:
        store.get("zarr.json")  # type: ignore[attr-defined]


def test_a_store_without_files_says_so() -> None:
    with pytest.raises(StoreError, match="memory:// has no files that zip: could open"):
        open_store("memory://x/a.zip|zip:")


def test_a_file_whose_name_has_a_bar_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "a|zip:").mkdir()
    with zarrcore.create(tmp_path / "a|zip:"):
        pass
    assert not is_pipeline(str(tmp_path / "a|zip:"))
    with zarrcore.open_hierarchy(tmp_path / "a|zip:") as hierarchy:
        assert hierarchy.url == str(tmp_path / "a|zip:")


def test_closing_a_pipeline_closes_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []
    monkeypatch.setattr("zarrcore.stores.local.store.LocalStore.close", lambda self: closed.append(self.url))
    open_store(f"{folder}/outer.zip|zip:inner/archive.bin|zip:data/c").close()
    assert closed == [str(folder)]


def test_an_adapter_of_another_format_is_refused(tmp_path: Path) -> None:
    zarrcore.create(tmp_path / "a.zarr").create_array("x", shape=(4,), dtype="int8")[...] = 1
    for name, title in (("zarr2", "Zarr v2"), ("n5", "N5")):
        outcome = run_inside("tree", f"{tmp_path}/a.zarr|{name}:")
        sentence = f"{tmp_path}/a.zarr is Zarr v3, not {title}: name the format v3, or none"
        assert (outcome.status, outcome.stderr) == (1, f"zarrscope: {sentence}\n")
