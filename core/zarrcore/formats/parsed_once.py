"""What the documents of many arrays say alike, parsed once.

Arrays of one hierarchy mostly differ in attributes only, and to parse a codec takes longer than to see that it was parsed before.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable
from functools import lru_cache, wraps

from zarrcore.metadata import ArrayMetadata, JsonObject

_KEPT = 256
_MAX_NBYTES = 1 << 12
"""Longer documents are not kept: memory is bounded, and hardly two of them say the same."""
_MARSHAL_VERSION = 2  # in later ones the same value has several forms


def parsed_once(parse: Callable[[JsonObject], ArrayMetadata]) -> Callable[[JsonObject], ArrayMetadata]:
    """``parse``, which gives the same object for short documents that say the same."""

    # Unlike objects that compare equal, the bytes tell true from 1 and 1.0.
    @lru_cache(maxsize=_KEPT)
    def parse_bytes(told: bytes) -> ArrayMetadata:
        return parse(marshal.loads(told))  # noqa: S302 - the bytes are made below

    @wraps(parse)
    def parsed(document: JsonObject) -> ArrayMetadata:
        told = marshal.dumps(document, _MARSHAL_VERSION)
        return parse_bytes(told) if len(told) <= _MAX_NBYTES else parse(document)

    return parsed
