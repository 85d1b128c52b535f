"""Text for a terminal: printable, and coloured."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any, Final

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


_CODES: Final = {
    "bold": "1",
    "dim": "2",
    "red": "31",
    "green": "32",
    "yellow": "33",
    "blue": "34",
    "cyan": "36",
}
"""Parameters of the control sequence SGR (ECMA-48)."""


def tuple_parts(text: str) -> list[str]:
    """The parts of a tuple, as Python and shells spell it; one that is empty stays, and is an error.

    >>> tuple_parts("(3, 4)"), tuple_parts("3,"), tuple_parts("()"), tuple_parts("3,,4"), tuple_parts("")
    (['3', '4'], ['3'], [], ['3', '', '4'], [''])
    """
    inner = text.strip("()[] ")
    return [part.strip() for part in inner.removesuffix(",").split(",")] if inner or not text.strip() else []


def painter() -> Callable[[str, str], str]:
    """A function that styles text as `console` would, without importing rich; a style is one or more words of `_CODES`."""
    if not _is_coloured():
        return lambda text, _style: text
    return lambda text, style: f"\x1b[{';'.join(_CODES[word] for word in style.split())}m{text}\x1b[0m"


def _is_coloured() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (
        sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("dumb", "unknown")
    )


def console() -> Console:
    """The console for output: coloured on a terminal; plain and unwrapped in a pipe."""
    from rich.console import Console

    return Console(file=sys.stdout, highlight=False, soft_wrap=True, emoji=False)
