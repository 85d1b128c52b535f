"""HTML as a browser reads it: the elements, and the text in them."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser

TAGS = {"b", "details", "div", "line", "polygon", "pre", "span", "style", "summary", "svg", "table", "tbody"}
TAGS |= {"td", "text", "th", "title", "tr"}
ATTRIBUTES = {
    "class",
    "height",
    "points",
    "role",
    "text-anchor",
    "viewbox",
    "width",
    "x",
    "x1",
    "x2",
    "xmlns",
}
ATTRIBUTES |= {"y", "y1", "y2"}


@dataclass
class Page(HTMLParser):
    """The tags in order, with the names of their attributes, and the texts."""

    tags: list[tuple[str, ...]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.append((tag, *(name for name, _ in attributes)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open[-1:] != ["style"]:
            self.texts.append(data)

    def handle_comment(self, data: str) -> None:
        raise AssertionError(f"a comment: {data}")

    handle_decl = handle_pi = unknown_decl = handle_comment


def parsed(html: str) -> Page:
    """HTML whose elements are all closed, known and harmless."""
    page = Page()
    page.feed(html)
    page.close()
    assert page.open == []
    for tag, *attributes in page.tags:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES
    return page
