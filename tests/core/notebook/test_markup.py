"""Text becomes text: no element, no attribute and no entity of a name's own."""

from __future__ import annotations

import html
from html.parser import HTMLParser

from hypothesis import example, given
from hypothesis import strategies as st

from zarrcore.notebook.markup import Markup, element, escaped, joined, lines
from zarrcore.printable import printable

TEXT = st.text(max_size=20)


@given(TEXT, TEXT)
@example("<b>", '"><script>')
@example("\ud800", "&quot;")
def test_text_and_attributes_come_back_as_they_are(content: str, value: str) -> None:
    found: list[object] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            found.extend([tag, dict(attributes)])

        def handle_data(self, data: str) -> None:
            found.append(data)

    reader = Reader()
    reader.feed(element("p", content, class_=value, x=None))
    reader.close()
    assert found == ["p", {"class": printable(value)}, *([printable(content)] if content else [])]


def test_markup_is_not_escaped_again() -> None:
    inner = element("b", "&")
    assert element("p", inner, 3) == "<p><b>&amp;</b>3</p>"
    assert joined([inner, "<"]) == "<b>&amp;</b>&lt;"
    assert isinstance(joined([]), Markup)


def test_lines_are_kept_where_text_has_several() -> None:
    assert lines("a<\nb\x1b") == "a&lt;\nb\\x1b"
    assert "\n" not in escaped("a\nb")


@given(TEXT)
def test_escaped_text_can_be_sent_and_shown(text: str) -> None:
    assert escaped(text).isprintable()
    assert html.unescape(escaped(text)) == printable(text)
    escaped(text).encode()
