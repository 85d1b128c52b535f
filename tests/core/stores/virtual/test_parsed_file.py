"""A file's structure is read once, and again after the file was replaced."""

from __future__ import annotations

import math
import os
import pickle
from collections.abc import Iterator
from pathlib import Path

import pytest

from zarrcore.errors import StoreError
from zarrcore.stores import LocalStore
from zarrcore.stores.interface import BytesLike, ReadableStore, StoreEntry
from zarrcore.stores.virtual.parsed_file import FileVersion, ParsedFile
from zarrcore.stores.virtual.store import Part


class Letters(ParsedFile[list[str]]):
    """A file of letters, each of which is a key."""

    presents = "letters"

    def __init__(self, source: ReadableStore, key: str) -> None:
        super().__init__(source, key, key)
        self.reads_of_content = 0
        self.released: list[list[str]] = []

    def read_content(self) -> tuple[list[str], FileVersion]:
        self.reads_of_content += 1
        found = self.source.get_with_stat(self.key)
        if found is None:
            raise StoreError(f"{self.key} does not exist any more")
        return [*bytes(found[0]).decode()], FileVersion(found[1].size, found[1].version)

    def release(self, content: list[str]) -> None:
        self.released.append(content)

    def find(self, key: str) -> BytesLike | Part | None:
        return key.encode() if key in self.content else None

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        return map(StoreEntry, self.content)


@pytest.fixture
def letters(tmp_path: Path) -> Letters:
    (tmp_path / "a").write_text("xy")
    return Letters(LocalStore(tmp_path), "a")


def replace(path: Path, text: str) -> None:
    (path / "new").write_text(text)
    os.replace(path / "new", path / "a")


def test_the_content_is_read_once(letters: Letters) -> None:
    assert letters.reads_of_content == 0, "not before the first request"
    assert [letters.get("x"), letters.get("z")] == [b"x", None]
    assert [entry.key for entry in letters.list_prefix("")] == ["x", "y"]
    assert letters.reads_of_content == 1


def test_a_replaced_file_is_read_again(
    letters: Letters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", math.inf)
    assert letters.get("z") is None
    replace(tmp_path, "yz")
    assert letters.get("z") is None, "a file that was read a moment ago is not looked at"
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", -1.0)
    assert [letters.get("z"), letters.get("x")] == [b"z", None]
    (tmp_path / "a").unlink()
    with pytest.raises(StoreError, match="does not exist any more"):
        letters.get("z")


def test_a_remote_file_is_not_asked_for_its_version(
    letters: Letters, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", -1.0)
    letters.is_remote = True
    assert letters.get("x") == b"x"
    replace(tmp_path, "z")
    assert letters.get("x") == b"x"


def test_refreshing_and_closing_release_what_was_read(letters: Letters, tmp_path: Path) -> None:
    letters.refresh()
    assert letters.released == [], "nothing was read yet"
    assert letters.get("x") == b"x"
    replace(tmp_path, "z")
    letters.refresh()
    assert [letters.get("x"), letters.get("z")] == [None, b"z"]
    letters.close()
    assert letters.released == [["x", "y"], ["z"]]


def test_a_copy_in_another_process_reads_for_itself(letters: Letters) -> None:
    assert letters.get("x") == b"x"
    copied = pickle.loads(pickle.dumps(letters))
    assert copied.get("y") == b"y"
    assert copied.reads_of_content == 2
