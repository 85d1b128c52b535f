"""The progress bar."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("command", ["copy", "check"])
def test_a_bar_is_shown_on_a_terminal_only(hierarchy: Path, tmp_path: Path, command: str) -> None:
    program = Path(sys.executable).with_name("zarrscope")
    arguments = [program, command, hierarchy, *([tmp_path / "t"] if command == "copy" else [])]
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            arguments,
            stdout=subprocess.PIPE,
            stderr=slave,
            timeout=60,
            env={**os.environ, "TERM": "xterm", "COLUMNS": "200"},
        )
        os.set_blocking(master, False)
        shown = os.read(master, 1 << 20).decode()
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout
    assert "━" in shown
