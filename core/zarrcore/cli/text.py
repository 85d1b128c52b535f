"""Text for a terminal: what can be printed, and in which colours."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console


def printable(text: str) -> str:
    """``text`` without what would move the cursor, break the line or be no text at all: names come from strangers.

    >>> printable("a\\nb")
    'a\\\\nb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def painter() -> Callable[[str, str], str]:
    """What puts a text in a style of rich where `console` would; for long output, since it takes far less time."""
    from rich.style import Style

    system = console()._color_system  # noqa: SLF001 - rich tells its name only, and takes no names
    return lambda text, style: Style.parse(style).render(text, color_system=system)


def console() -> Console:
    """Where output for people goes: coloured on a terminal, plain in a pipe, never wrapped there."""
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, soft_wrap=True, emoji=False)
