"""The command line of a child process: with an interpreter, and in the single-file program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from zarrcore.child_processes import module_command


def test_a_module_runs_without_what_the_working_directory_holds(tmp_path: Path) -> None:
    (tmp_path / "argparse.py").write_text("raise SystemExit(3)")
    command = module_command("zarrcore.cli.main", "--version")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.startswith("zarrscope ")


def test_the_single_file_program_takes_the_module_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert module_command("json.tool", "--help") == [sys.executable, "-m", "json.tool", "--help"]
