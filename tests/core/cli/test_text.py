"""Text for a terminal."""

from __future__ import annotations

import io

import pytest
from rich.text import Text

from zarrcore.cli.text import console, painter


def test_output_in_a_pipe_is_plain_and_unwrapped(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.StringIO()
    monkeypatch.setattr("sys.stdout", output)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    console().print(Text("x" * 500, style="bold red"))
    console().print(":smile: 5")
    assert output.getvalue() == "x" * 500 + "\n:smile: 5\n"
    assert painter()("a", "bold red") == "a"


def test_output_on_a_terminal_is_coloured_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    output = io.StringIO()
    monkeypatch.setattr("sys.stdout", output)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    console().print(Text("a", style="bold red"))
    assert output.getvalue() == painter()("a", "bold red") + "\n"
    assert output.getvalue() == "\x1b[1;31ma\x1b[0m\n"
