"""Elements of HTML and SVG. All text and all attribute values are escaped here, since stored names are not trusted."""

from __future__ import annotations

import html
from collections.abc import Iterable
from typing import Any

from zarrcore.printable import printable


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def element(name: str, /, *content: Any, **attributes: Any) -> Markup:
    """An element; content that is not `Markup` is escaped. An attribute's trailing underscore is dropped, ``None`` leaves it out.

    >>> element("p", "a < b", element("b", "!"), class_="x", title='"')
    '<p class="x" title="&quot;">a &lt; b<b>!</b></p>'
    """
    told = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escaped(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{told}>{joined(content)}</{name}>")


def joined(content: Iterable[Any]) -> Markup:
    """Content one after another; what is not `Markup` is escaped."""
    return Markup("".join(part if isinstance(part, Markup) else escaped(part) for part in content))


def escaped(value: Any) -> Markup:
    """A value as text in one line, without characters that a browser would not show, or that reverse the text around them."""
    return Markup(html.escape(printable(str(value))))


def lines(text: str) -> Markup:
    """Text of several lines; the same for each of them."""
    return Markup("\n".join(map(escaped, text.split("\n"))))
