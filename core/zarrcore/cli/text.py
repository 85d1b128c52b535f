"""Text for a terminal: printable, and coloured."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from zarrcore.printable import printable as printable
from zarrcore.printable import printable_json as printable_json

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from collections.abc import Callable

    from rich.console import Console


def json_or_text(text: str) -> Any:
    """The JSON value of an argument, or the argument itself if it is not JSON.

    >>> json_or_text("[1, 2]"), json_or_text("mm"), json_or_text('"12"')
    ([1, 2], 'mm', '12')
    """

    def refuse(token: str) -> Any:
        raise ValueError(token)

    try:
        return json.loads(text, parse_constant=refuse)  # NaN and Infinity are not JSON
    except (ValueError, RecursionError):
        return text


def painter() -> Callable[[str, str], str]:
    """A function that styles text as `console` would; much faster for long output."""
    from rich.style import Style

    system = console()._color_system  # noqa: SLF001 - rich tells its name only, and takes no names
    return lambda text, style: Style.parse(style).render(text, color_system=system)


def console() -> Console:
    """The console for output: coloured on a terminal; plain and unwrapped in a pipe."""
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, soft_wrap=True, emoji=False)
