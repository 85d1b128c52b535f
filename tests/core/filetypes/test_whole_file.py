"""Files that appear whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from zarrcore.filetypes import whole_or_nothing


def test_a_file_appears_when_the_block_ends_and_follows_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    link.symlink_to(path)
    with whole_or_nothing(str(link)) as stream:
        stream.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert link.is_symlink()
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "link"]


def test_a_block_that_fails_leaves_only_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def write() -> None:
        with whole_or_nothing(str(path)) as stream:
            stream.write(b"new")
            raise KeyError("stop")

    with pytest.raises(KeyError):
        write()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a"]


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    target = tmp_path / "none" / "a"
    with pytest.raises(OSError, match="No such file") as caught, whole_or_nothing(str(target)):
        pass
    assert caught.value.filename == str(target)
