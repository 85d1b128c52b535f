"""Files that appear whole or not at all."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from zarrcore.filetypes import whole_or_nothing
from zarrcore.stores.local import atomic_files


def usual_mode(folder: Path) -> int:
    """The mode of a file that Python creates."""
    other = folder / "other"
    other.touch()
    mode = other.stat().st_mode
    other.unlink()
    return mode


@pytest.mark.usefixtures("_file_system")
def test_a_file_appears_when_the_block_ends_and_follows_a_link(tmp_path: Path) -> None:
    path, link = tmp_path / "a", tmp_path / "link"
    link.symlink_to(path)
    with whole_or_nothing(str(link)) as stream:
        stream.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert link.is_symlink()
    assert path.stat().st_mode == usual_mode(tmp_path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["a", "link"]


@pytest.mark.usefixtures("_file_system")
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


@pytest.fixture(params=["a file without a name", "a file system that has none"])
def _file_system(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if request.param == "a file system that has none":
        monkeypatch.setattr(atomic_files, "_UNNAMED_FILES", False)


def test_a_process_that_is_killed_leaves_no_other_file(tmp_path: Path) -> None:
    try:
        os.close(os.open(tmp_path, os.O_TMPFILE | os.O_RDWR))
    except OSError as error:
        pytest.skip(f"the file system has no files without a name: {error}")
    program = """if True:
        import os, signal, sys
        from zarrcore.filetypes import whole_or_nothing
        with whole_or_nothing(sys.argv[1]) as stream:
            stream.write(bytes(100_000))
            os.kill(os.getpid(), signal.SIGKILL)
    """
    path = tmp_path / "a"
    path.write_bytes(b"old")
    done = subprocess.run([sys.executable, "-c", program, path], check=False)
    assert done.returncode == -signal.SIGKILL
    assert [(entry.name, entry.read_bytes()) for entry in tmp_path.iterdir()] == [("a", b"old")]


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    target = tmp_path / "none" / "a"
    with pytest.raises(OSError, match="No such file") as caught, whole_or_nothing(str(target)):
        pass
    assert caught.value.filename == str(target)
