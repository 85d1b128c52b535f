"""Templates for the keys of documents and chunks in the drafts that have an entry point document.

Draft of 16 October 2020, "Storage keys". Documents and chunks have separate prefixes. The fields of a template are
``path`` (``/foo/bar``, empty for the root), ``kind`` (``array``, ``group``) and ``suffix`` (mostly ``.json``).
"""

from __future__ import annotations

from dataclasses import dataclass

KINDS = ("array", "group")
"""The kinds of documents. If a path has both, the first one is used."""


@dataclass(frozen=True, slots=True)
class DraftKeys:
    """The keys of one draft."""

    root: str
    """The key of the root's document."""
    node: str
    """The key of any other node's document."""
    below: str
    """The beginning of the keys of documents below a node."""
    chunks: str
    """The beginning of an array's chunk keys."""

    def document_keys(self, path: str, suffix: str) -> tuple[str, ...]:
        """The keys at which the node at ``path`` may have its document."""
        template = self.root if path == "/" else self.node
        return tuple(template.format(path=path, kind=kind, suffix=suffix) for kind in KINDS)

    def prefix(self, path: str) -> str:
        """The beginning of the keys of documents below ``path``."""
        return self.below.format(path="" if path == "/" else path)

    def chunk_prefix(self, path: str) -> str:
        """The beginning of the chunk keys of an array at ``path``."""
        return self.chunks.format(path="" if path == "/" else path)

    def path_of(self, key: str, suffix: str) -> str | None:
        """The path of the node whose document has this key; None if it is not the key of a document."""
        for kind in KINDS:
            if key == self.root.format(kind=kind, suffix=suffix):
                return "/"
            end, start = f".{kind}{suffix}", self.prefix("/")
            if key.startswith(start) and key.endswith(end) and (path := key[len(start) : -len(end)]):
                return f"/{path}"
        return None


META_AND_DATA = DraftKeys(
    "meta/root.{kind}{suffix}", "meta/root{path}.{kind}{suffix}", "meta/root{path}/", "data{path}/"
)
"""June 2019 to August 2020: only documents have ``root`` in their keys."""

META_ROOT_AND_DATA_ROOT = DraftKeys(
    "meta/root.{kind}{suffix}", "meta/root{path}.{kind}{suffix}", "meta/root{path}/", "data/root{path}/"
)
"""September 2020 to 1 December 2022."""

WITHOUT_ROOT = DraftKeys("meta/{kind}{suffix}", "meta{path}.{kind}{suffix}", "meta{path}/", "data{path}/")
"""From 2 December 2022."""
