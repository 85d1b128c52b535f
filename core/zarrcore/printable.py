"""Text that can be shown: stored names and documents are not trusted."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any, Final

_BEGIN_OF_PAGE: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+)?html\b", re.IGNORECASE)
_TITLE: Final = re.compile(rb"<title[^<>]{0,100}>([^<>]{1,200})</title", re.IGNORECASE)
_SHORT: Final = 80
"""The most characters of a page's title that are shown."""


def printable(text: str) -> str:
    """``text`` without control characters, line breaks and invalid characters: stored names are not trusted.

    >>> printable("a\\nb")
    'a\\\\nb'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def json_fault(error: Exception) -> str:
    """Why ``json`` could not read a text. What Python says about a very long integer is advice for programmers."""
    if "integer string conversion" in str(error):
        return "an integer has more digits than any program reads"
    return str(error) or type(error).__name__


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The end of a sentence about an unknown name: the known one that is most like it, or nothing.

    >>> did_you_mean("chunk", ["shape", "chunks"]), did_you_mean("x", ["shape"])
    (": did you mean 'chunks'?", '')
    """
    from difflib import get_close_matches  # late: for a fast start

    near = get_close_matches(name, known, 1)
    return f": did you mean {near[0]!r}?" if near else ""


def element_text(value: Any) -> str:
    """One element as text; a date that NumPy cannot write, as of ``M8[25s]`` or ``M8``, is its count."""
    try:
        return str(value)
    except (OverflowError, ValueError):  # its year is too large, or it has no unit
        return str(value.view("<i8"))


def printable_json(document: str) -> str:
    """A JSON text whose strings have escapes instead of characters that are not printable: the same document.

    >>> print(printable_json('{"a\u202eb": "\x9b"}'))
    {"a\\u202eb": "\\u009b"}
    """
    if document.replace("\n", "").isprintable():
        return document
    return "".join(c if c.isprintable() or c == "\n" else json.dumps(c)[1:-1] for c in document)


def is_page(data: bytes | memoryview) -> bool:
    """Whether bytes begin as a web page.

    >>> is_page(b"<!DOCTYPE html><html>"), is_page(b"{}")
    (True, False)
    """
    return _BEGIN_OF_PAGE.match(data) is not None


def title_of_page(data: bytes | memoryview) -> str:
    """The title of a web page in quotation marks, if its begin has a short one; otherwise empty.

    >>> title_of_page(b"<html><head><title> Sign in\\n to the hotel </title>")
    "'Sign in to the hotel'"
    """
    found = _TITLE.search(bytes(data[:4096]))
    title = " ".join(found[1].decode("utf-8", "replace").split()) if found else ""
    return f"'{printable(title)}'" if 0 < len(title) <= _SHORT else ""
