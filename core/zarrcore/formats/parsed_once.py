"""Parts that documents of many arrays share, parsed once.

Arrays of one hierarchy often differ only in attributes, and parsing a codec takes longer than finding the earlier result.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from functools import lru_cache, wraps

from zarrcore.metadata import ArrayMetadata, JsonObject

_KEPT = 256
_MAX_NBYTES = 1 << 12
"""Longer documents are not kept: memory is bounded, and two of them are rarely equal."""
_MARSHAL_VERSION = 2  # later ones have several forms of the same value


def parsed_once(parse: Callable[[JsonObject], ArrayMetadata]) -> Callable[[JsonObject], ArrayMetadata]:
    """``parse`` that returns the same object for equal short documents."""

    # Unlike equal objects, the bytes distinguish true from 1 and 1.0.
    @lru_cache(maxsize=_KEPT)
    def parse_bytes(told: bytes) -> ArrayMetadata:
        return parse(marshal.loads(told))  # noqa: S302 - the bytes are made below

    @wraps(parse)
    def parsed(document: JsonObject) -> ArrayMetadata:
        told = marshal.dumps(document, _MARSHAL_VERSION)
        return parse_bytes(told) if len(told) <= _MAX_NBYTES else parse(document)

    return parsed
