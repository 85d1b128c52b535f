"""Where the drafts with an entry point keep documents and chunks: keys by template.

Draft of 16 October 2020, "Storage keys". Documents stand in one tree of keys, chunks in another. A template speaks of
``path`` (``/foo/bar``, and nothing for the root), ``kind`` (``array``, ``group``) and ``suffix`` (mostly ``.json``).
"""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("array", "group")
"""What a document can be of; the first counts where both are there."""


@dataclass(frozen=True, slots=True)
class DraftKeys:
    """The keys of one draft."""

    root: str
    """The key of the root's document."""
    node: str
    """The key of any other node's document."""
    below: str
    """What the keys of documents below a node begin with."""
    chunks: str
    """What an array's chunk keys begin with."""

    def document_keys(self, path: str, suffix: str) -> tuple[str, ...]:
        """The keys at which the node at ``path`` may have its document."""
        template = self.root if path == "/" else self.node
        return tuple(template.format(path=path, kind=kind, suffix=suffix) for kind in KINDS)

    def prefix(self, path: str) -> str:
        """What the keys of documents below ``path`` begin with."""
        return self.below.format(path="" if path == "/" else path)

    def chunk_prefix(self, path: str) -> str:
        """What the chunk keys of an array at ``path`` begin with."""
        return self.chunks.format(path="" if path == "/" else path)

    def path_of(self, key: str, suffix: str) -> str | None:
        """The path of the node whose document has this key; None where it is no such key."""
        for kind in KINDS:
            if key == self.root.format(kind=kind, suffix=suffix):
                return "/"
            end, start = f".{kind}{suffix}", self.prefix("/")
            if key.startswith(start) and key.endswith(end):
                return "/" + key[len(start) : -len(end)]
        return None


META_AND_DATA = DraftKeys(
    "meta/root.{kind}{suffix}", "meta/root{path}.{kind}{suffix}", "meta/root{path}/", "data{path}/"
)
"""June 2019 to August 2020: only documents have ``root`` in their keys."""

META_ROOT_AND_DATA_ROOT = DraftKeys(
    "meta/root.{kind}{suffix}", "meta/root{path}.{kind}{suffix}", "meta/root{path}/", "data/root{path}/"
)
"""September 2020 to the first of December 2022."""

WITHOUT_ROOT = DraftKeys("meta/{kind}{suffix}", "meta{path}.{kind}{suffix}", "meta{path}/", "data{path}/")
"""From the second of December 2022."""
