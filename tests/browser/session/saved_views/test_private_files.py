"""Files that only the user can read."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from zarrbrowser.session.saved_views import private_files
from zarrbrowser.session.saved_views.private_files import locked, write_private, write_shared


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_and_its_folder_are_private(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_private(path, b"one")
    write_private(path, b"two", is_durable=True)
    assert path.read_bytes() == b"two"
    assert (mode(path), mode(path.parent)) == (0o600, 0o700)
    assert [one.name for one in path.parent.iterdir()] == ["file"]


def test_a_shared_file_has_the_usual_mode_and_its_folder_is_not_made(tmp_path: Path) -> None:
    usual = tmp_path / "usual"
    usual.touch()
    write_shared(tmp_path / "file", b"one")
    assert mode(tmp_path / "file") == mode(usual)
    with pytest.raises(FileNotFoundError):
        write_shared(tmp_path / "none" / "file", b"one")
    assert not (tmp_path / "none").exists()


def test_a_link_keeps_leading_to_its_file(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "file").symlink_to(tmp_path / "real" / "file")
    write_private(tmp_path / "file", b"one")
    assert (tmp_path / "file").is_symlink()
    assert (tmp_path / "real" / "file").read_bytes() == b"one"


def test_a_failed_write_leaves_the_earlier_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    write_private(path, b"one")

    def fail(*_paths: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        write_private(path, b"two")
    assert path.read_bytes() == b"one"
    assert [one.name for one in tmp_path.iterdir()] == ["file"]


def test_a_lock_that_another_program_holds_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private_files, "_PATIENCE_S", 0.1)
    path = tmp_path / "file"
    code = (
        "import sys; from pathlib import Path; from zarrbrowser.session.saved_views.private_files import locked\n"
        "with locked(Path(sys.argv[1])): print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(TimeoutError, match="another program is changing"), locked(path):
            raise AssertionError
    with locked(path):
        assert not path.exists()
