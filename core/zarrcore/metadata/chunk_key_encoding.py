"""Chunk key encodings: the key of the chunk at a grid index, relative to the array.

Accepted specification, "chunk_key_encoding".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata.json_document import JsonObject, describe
from zarrcore.metadata.named_configuration import NamedConfiguration


@dataclass(frozen=True, slots=True)
class ChunkKeyEncoding:
    """``default`` (``c/1/23``) or ``v2`` (``1.23``), with either separator."""

    name: Literal["default", "v2"] = "default"
    """The encoding's identifier."""
    separator: Literal["/", "."] = "/"
    """What stands between the indices."""

    def encode(self, index: tuple[int, ...]) -> str:
        """The key of the chunk at ``index``.

        >>> ChunkKeyEncoding().encode((1, 23, 45)), ChunkKeyEncoding("v2", ".").encode(())
        ('c/1/23/45', '0')
        """
        if self.name == "default":
            return self.separator.join(("c", *map(str, index)))
        return self.separator.join(map(str, index)) if index else "0"

    def document(self) -> JsonObject:
        """As it stands in a metadata document."""
        return {"name": self.name, "configuration": {"separator": self.separator}}


def parse_chunk_key_encoding(named: NamedConfiguration) -> ChunkKeyEncoding:
    """The encoding that a version 3 document names.

    Raises:
        MetadataError: a separator other than ``/`` and ``.``.
        UnsupportedError: an encoding we do not know.
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
