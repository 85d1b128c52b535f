"""Messages of commits: what the check refuses, as a hook and over the history."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CHECK = ROOT / "packaging" / "commit_subjects.py"
faults = runpy.run_path(str(CHECK))["faults"]


@pytest.mark.parametrize(
    "message",
    [
        "x" * 72,
        "Read the index once\n\nIt was read twice.\n\n# a comment of Git, as long as it likes to be, which is not part of it\n",
        "Give zarrscope mount /mnt/data a log file",
    ],
)
def test_a_good_message_passes(message: str) -> None:
    assert faults(message) == []


@pytest.mark.parametrize(
    ("message", "fault"),
    [
        ("", "no subject"),
        ("x" * 73, "73 characters, of at most 72"),
        ("Subject\nand more", "second line is not empty"),
        ("Merge branch 'cache'", "Git's own message"),
        ("Read it\n\nSeen in /home/me/data.", "a folder of a machine: /home/m"),
    ],
)
def test_a_bad_message_is_refused(message: str, fault: str) -> None:
    assert [fault in said for said in faults(message)] == [True]


def test_the_hook_names_what_is_wrong(tmp_path: Path) -> None:
    message = tmp_path / "message"
    message.write_text("x" * 80)
    done = subprocess.run([sys.executable, CHECK, message], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "its subject has 80 characters" in done.stderr


def test_all_commits_since_the_check_was_added_are_checked(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.hooksPath=")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init", "-q")
    git("commit", "-q", "--allow-empty", "-m", "o" * 90)
    (tmp_path / CHECK.name).write_bytes(CHECK.read_bytes())
    git("add", ".")
    git("commit", "-q", "-m", "Add the check")
    command = [sys.executable, tmp_path / CHECK.name]
    assert subprocess.run(command, check=False).returncode == 0
    git("commit", "-q", "--allow-empty", "-m", "n" * 91)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "91 characters" in done.stderr
