"""Chunk key encodings: the key of the chunk at a grid index, relative to the array, and back.

Accepted specification, "chunk_key_encoding". Two more names are internal and occur in no document: ``n5``,
since N5 names the fastest dimension first and zarrcore shows its arrays with reversed axes; and ``draft``, since the
drafts of Zarr v3 put no separator after the ``c``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.json_document import JsonObject, describe
from zarrcore.metadata.named_configuration import NamedConfiguration

_MAX_DIGITS = 19  # of an index below 2**63
_CHUNK_NAME: Final = re.compile(r"c|c?[0-9.]*[0-9]")


@dataclass(frozen=True, slots=True)
class ChunkKeyEncoding:
    """``default`` (``c/1/23``), ``v2`` (``1.23``), ``draft`` (``c1/23``), with either separator; or ``n5`` (``23/1``)."""

    name: Literal["default", "v2", "n5", "draft"] = "default"
    """The encoding's identifier."""
    separator: Literal["/", "."] = "/"
    """The text between the indices."""
    lead: str = "c"
    """The beginning of a draft's keys. Without dimensions, it is the key."""
    is_told: bool = field(default=True, compare=False)
    """Whether the array's documents state it. Otherwise it is a likely guess, and the stored keys decide."""

    @property
    def is_ours(self) -> bool:
        """Whether the name is internal, so that no document may hold it."""
        return self.name in ("n5", "draft")

    @property
    def beginning(self) -> str:
        """What comes before the indices, in an array that has dimensions."""
        return {"default": f"c{self.separator}", "draft": self.lead}.get(self.name, "")

    @property
    def is_reversed(self) -> bool:
        """Whether the index of the last dimension comes first."""
        return self.name == "n5"

    def encode(self, index: tuple[int, ...]) -> str:
        """The key of the chunk at ``index``.

        >>> ChunkKeyEncoding().encode((1, 23, 45)), ChunkKeyEncoding("v2", ".").encode(())
        ('c/1/23/45', '0')
        """
        match self.name:
            case "default":
                return self.separator.join(("c", *map(str, index)))
            case "draft":
                return self.lead + self.separator.join(map(str, index))
            case "n5":
                index = index[::-1]
        return self.separator.join(map(str, index)) if index else "0"

    def decode(self, key: str, ndim: int) -> tuple[int, ...] | None:
        """The grid index whose key is ``key`` in an array of ``ndim`` dimensions; None if it is not the key of a chunk.

        Strictly the inverse of `encode`: a key that `encode` never returns does not name a chunk.

        >>> ChunkKeyEncoding().decode("c/1/23", 2), ChunkKeyEncoding().decode("c/01/23", 2)
        ((1, 23), None)
        """
        parts = key.split(self.separator)
        if self.name == "default":
            if parts.pop(0) != "c":
                return None
        elif self.name == "draft":
            if not key.startswith(self.lead):
                return None
            rest = key[len(self.lead) :]
            parts = rest.split(self.separator) if rest else []
        elif ndim == 0:
            return () if key == "0" else None
        if len(parts) != ndim or not all(map(_is_index, parts)):
            return None
        index = tuple(map(int, parts))
        return index[::-1] if self.name == "n5" else index

    def is_prefix(self, key: str, ndim: int) -> bool:
        """Whether ``key`` and a slash begin keys of chunks in an array of ``ndim`` dimensions.

        >>> [ChunkKeyEncoding().is_prefix(key, 2) for key in ("c", "c/1", "c/1/23")]
        [True, True, False]
        """
        missing = self.encode((0,) * ndim).count("/") - key.count("/")
        return missing > 0 and self.decode(key + "/0" * missing, ndim) is not None

    def document(self) -> JsonObject:
        """Its form in a metadata document."""
        return {"name": self.name, "configuration": {"separator": self.separator}}


def may_be_chunk_key(key: str) -> bool:
    """Whether a key ends as those of chunks do, in any encoding.

    >>> may_be_chunk_key("foo/c/0/1"), may_be_chunk_key("foo/0.1"), may_be_chunk_key("foo/zarr.json")
    (True, True, False)
    """
    return _CHUNK_NAME.fullmatch(key.rpartition("/")[2]) is not None


def _is_index(text: str) -> bool:
    # str.isdigit alone accepts digits of other scripts, and int accepts signs, blanks and underscores.
    decimal = text.isascii() and text.isdigit() and len(text) <= _MAX_DIGITS
    return decimal and (text[0] != "0" or text == "0")


def parse_chunk_key_encoding(named: NamedConfiguration) -> ChunkKeyEncoding:
    """The encoding that a version 3 document names.

    Raises:
        MetadataError: a separator other than ``/`` and ``.``.
        UnsupportedError: an unknown encoding.
    """
    if named.name not in ("default", "v2"):
        raise UnsupportedError("chunk key encoding", named.name)
    name: Literal["default", "v2"] = "default" if named.name == "default" else "v2"
    separator = named.configuration.get("separator", "/" if name == "default" else ".")
    if separator not in ("/", "."):
        raise MetadataError(
            f"expected '/' or '.', found {describe(separator)}",
            member="chunk_key_encoding.configuration.separator",
        )
    return ChunkKeyEncoding(name, separator)
