"""Text that can be shown: stored names and documents are not trusted."""

from __future__ import annotations

import json
from typing import Any


def printable(text: str) -> str:
    """``text`` without control characters, line breaks and invalid characters: stored names are not trusted.

    >>> printable("a\\nb")
    'a\\\\nb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def element_text(value: Any) -> str:
    """One element as text; a date that NumPy cannot write, as of ``M8[25s]``, is its count."""
    try:
        return str(value)
    except OverflowError:
        return str(value.view("<i8"))


def printable_json(document: str) -> str:
    """A JSON text whose strings have escapes instead of characters that are not printable: the same document.

    >>> print(printable_json('{"a\u202eb": "\x9b"}'))
    {"a\\u202eb": "\\u009b"}
    """
    if document.replace("\n", "").isprintable():
        return document
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in document)
