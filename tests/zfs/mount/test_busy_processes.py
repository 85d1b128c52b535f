"""Processes that keep a mount busy."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.waiting import wait_until
from tests.zfs.mount.programs import program
from zarrfs.mount import busy_processes, mountpoints


def test_processes_are_found_by_the_paths_they_use(tmp_path: Path) -> None:
    """No mount is needed: any directory works. A sibling with the same beginning of its name does not count."""
    folder, sibling = tmp_path / "mnt", tmp_path / "mnt2"
    for path in (folder, sibling):
        path.mkdir()
    shutil.copy("/bin/sleep", folder / "napper")
    with (
        program(folder / "napper", "100") as napper,
        program("sleep", "100", cwd=sibling),
        program("sleep", "100", cwd=folder) as sleeper,
        open(folder / "napper", "rb") as file,
    ):
        wait_until(lambda: os.readlink(f"/proc/{napper.pid}/exe") == str(folder / "napper"), "it runs")
        found = {holder.process: str(holder) for holder in busy_processes.busy_processes(str(folder))}
        assert found == {
            napper.pid: f"napper ({napper.pid}) runs {folder}/napper",
            sleeper.pid: f"sleep ({sleeper.pid}) is in {folder}",
            os.getpid(): f"{Path('/proc/self/comm').read_text().strip()} ({os.getpid()}) has {file.name} open",
        }
    assert busy_processes.why_busy(str(folder)).startswith("possibly a program of another user")


def test_only_the_first_busy_processes_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [busy_processes.BusyProcess(number, "cat", "/m/f", "has {} open") for number in range(1, 6)]
    monkeypatch.setattr(busy_processes, "busy_processes", lambda _: iter(many))
    monkeypatch.setattr(
        busy_processes, "all_mounted", lambda: [mountpoints.Mounted("/m/in", "tmpfs", "t", "0:1")]
    )
    told = busy_processes.why_busy("/m")
    assert told == "cat (1) has /m/f open, cat (2) has /m/f open, cat (3) has /m/f open, and 3 more"
    monkeypatch.setattr(busy_processes, "busy_processes", lambda _: iter(()))
    assert busy_processes.why_busy("/m") == "something is mounted at /m/in"


def test_the_current_directory_is_named_and_this_process_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    told = busy_processes.why_busy(str(tmp_path))
    assert told == "the current directory is inside it, so change to another one first"
