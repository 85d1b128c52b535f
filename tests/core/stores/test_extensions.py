"""Stores of other packages, and kinds of files and folders, found through entry points."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import zarrcore
from tests.any_store import open_store
from tests.other_package import forget_extensions, other_package
from zarrcore.errors import AccessDeniedError, StoreError

_MODULE = """
from zarrcore.errors import AccessDeniedError
from zarrcore.stores import ByteRange, FileKind, FolderKind, ListableStore, ReadableStore, StoreEntry, StoreOptions

class ReversedStore(ReadableStore, ListableStore):
    def __init__(self, url: str, options: StoreOptions) -> None:
        self.url = url
        self.options = options
        self.values = {"zarr.json": b'{"zarr_format": 3, "node_type": "group"}', "a/b": b"321"}

    def get(self, key, byte_range=None, *, max_nbytes=None):
        value = self.values.get(key)
        return value if value is None or byte_range is None else value[slice(*byte_range.resolve(len(value)))]

    def list_prefix(self, prefix):
        return (StoreEntry(key) for key in self.values if key.startswith(prefix))

def refuse(url, options):
    raise AccessDeniedError("not today", url=url)

def fail(url, options):
    raise RuntimeError("bug")

def nothing(url, options):
    return 3

def open_file(source, key, url):
    return ReversedStore(url, source.options)

def open_folder(source):
    return ReversedStore(source.url, source.options)

def is_reversed(*both):
    return b"reversed" in both

def stumble(*both):
    raise IndexError("head")

STUMBLING_FILE = FileKind("odd-file", "odd file", (".odd",), stumble, "reversed_store:open_file")
STUMBLING_FOLDER = FolderKind("odd-folder", "odd folder", ("info",), stumble, "reversed_store:open_folder")
FILE = FileKind("reversed-file", "reversed file", (".reversed",), is_reversed, "reversed_store:open_file")
FOLDER = FolderKind("reversed-folder", "reversed folder", ("info",), is_reversed, "reversed_store:open_folder")
"""

_ENTRY_POINTS = """
[zarrscope.stores]
reversed = reversed_store:ReversedStore
refusing = reversed_store:refuse
failing = reversed_store:fail
wrong = reversed_store:nothing
missing = reversed_store:absent
memory = reversed_store:ReversedStore
[zarrscope.kinds]
reversed-file = reversed_store:FILE
reversed-folder = reversed_store:FOLDER
zip = reversed_store:FILE
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path) -> Iterator[Path]:
    with other_package(tmp_path, {"reversed_store.py": _MODULE}, _ENTRY_POINTS) as entry_points:
        yield entry_points


def test_a_store_of_another_package_is_opened_by_its_scheme() -> None:
    store = open_store("REVERSED://Place/x?y=1", region="here")
    assert type(store).__name__ == "ReversedStore"
    assert store.url == "reversed://Place/x?y=1"
    assert store.options.region == "here"  # type: ignore[attr-defined] # a class that mypy does not see
    assert store.get("a/b") == b"321"
    assert [entry.key for entry in store.list_dir("")] == ["zarr.json", "a/"]
    assert store.read_only
    assert zarrcore.open_hierarchy("reversed://place").format is not None


def test_stores_of_zarrcore_have_precedence() -> None:
    assert type(open_store("memory://x")).__name__ == "MemoryStore"


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("failing://x", r"failing:// cannot be opened: the package that provides it fails \(RuntimeError\)"),
        (
            "missing://x",
            r"missing:// cannot be opened: the package that provides it fails \(AttributeError\)",
        ),
        (
            "wrong://x",
            "wrong:// cannot be opened: the package that provides it did not return a ReadableStore",
        ),
        ("unknown://x", "unknown store type unknown://: .*s3://.*, refusing://, reversed://"),
    ],
)
def test_failures_of_extensions_are_reported_in_one_sentence(url: str, reason: str) -> None:
    with pytest.raises(StoreError, match=reason):
        open_store(url)


def test_zarrcore_errors_of_extensions_are_passed_on() -> None:
    with pytest.raises(AccessDeniedError, match="not today"):
        open_store("refusing://x")


def test_files_and_folders_are_recognized_by_kinds_of_another_package(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").write_bytes(b"reversed")
    (folder / "other.reversed").touch()
    (folder / "inner").mkdir()
    (folder / "inner/info").write_bytes(b"reversed")
    for source in (
        folder / "file",
        folder / "other.reversed",
        folder / "inner",
        f"{folder}/file|reversed-file:",
    ):
        with zarrcore.open_hierarchy(source) as hierarchy:
            assert type(hierarchy.store).__name__ == "ReversedStore"
    with zarrcore.open_hierarchy(folder) as collection:
        assert [child.name for child in collection["/"].children()] == ["inner", "other.reversed"]


def test_a_kind_of_another_package_does_not_replace_one_of_zarrcore(tmp_path: Path) -> None:
    with zarrcore.create(tmp_path / "a.zip"):
        pass
    with zarrcore.open_hierarchy(tmp_path / "a.zip") as hierarchy:
        assert type(hierarchy.store).__name__ == "ZipStore"


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("reversed_store:absent", r"the package that provides odd fails \(AttributeError\)"),
        ("math:pi", "odd is registered with 3.14"),
    ],
)
def test_a_kind_that_is_none_is_reported_and_hides_no_other(
    installed: Path, tmp_path: Path, place: str, reason: str, caplog: pytest.LogCaptureFixture
) -> None:
    installed.write_text(f"[zarrscope.kinds]\nodd = {place}\nreversed-file = reversed_store:FILE\n")
    forget_extensions()
    (tmp_path / "file").write_bytes(b"reversed")
    for _ in range(2):
        assert type(open_store(tmp_path / "file")).__name__ == "ReversedStore"
    assert len(re.findall(reason, caplog.text)) == 1


def test_a_kind_that_fails_to_look_hides_no_other(
    installed: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = {
        "aaa": "STUMBLING_FILE",
        "bbb": "STUMBLING_FOLDER",
        "reversed-file": "FILE",
        "reversed-folder": "FOLDER",
    }
    lines = (f"{name} = reversed_store:{value}\n" for name, value in names.items())
    installed.write_text("[zarrscope.kinds]\n" + "".join(lines))
    forget_extensions()
    (tmp_path / "file").write_bytes(b"reversed")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/info").write_bytes(b"reversed")
    assert type(open_store(tmp_path / "file")).__name__ == "ReversedStore"
    with zarrcore.open_hierarchy(tmp_path / "folder") as hierarchy:
        assert type(hierarchy.store).__name__ == "ReversedStore"
    assert "the package that provides odd-file fails (IndexError: head)" in caplog.text
    assert "the package that provides odd-folder fails (IndexError: head)" in caplog.text
