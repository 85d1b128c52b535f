"""Text for a terminal."""

from __future__ import annotations

import io

import pytest
from rich.text import Text

from zarrcore.cli.text import console, painter, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", ""),
        ("größe 漢", "größe 漢"),
        ("a\tb\r\n", "a\\tb\\r\\n"),
        ("\x1b[31mred", "\\x1b[31mred"),
        ("\u202eright", "\\u202eright"),
        ("\ud800", "\\ud800"),
        ("\u2028", "\\u2028"),
        ("\U000e0001", "\\U000e0001"),
    ],
)
def test_stored_names_cannot_control_a_terminal(text: str, shown: str) -> None:
    assert printable(text) == shown
    assert printable(text).isprintable()


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
