"""Which encodings of bodies are compressions, and what they decode to."""

from __future__ import annotations

import gzip
import zlib

import pytest

from zarrcore.stores.connection.bodies import BodyError
from zarrcore.stores.connection.content_encoding import compression_of, inflated

TEXT = bytes(3 << 20)


@pytest.mark.parametrize(
    ("header", "expected"),
    [("", ""), ("identity", ""), ("aws-chunked", ""), ("GZip", "gzip"), ("aws-chunked, gzip", "gzip"), ("br", "br")],
)  # fmt: skip
def test_a_compression_is_found_among_other_texts(header: str, expected: str) -> None:
    assert compression_of(header) == expected


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(TEXT), "gzip"),
        (zlib.compress(TEXT), "deflate"),
        (zlib.compress(TEXT, wbits=-zlib.MAX_WBITS), "deflate"),
    ],
)
def test_a_body_is_decoded_in_bounded_pieces(body: bytes, encoding: str) -> None:
    pieces = [*inflated((body[:40], body[40:]), encoding)]
    assert b"".join(pieces) == TEXT
    assert max(map(len, pieces)) <= 1 << 20
    with pytest.raises(BodyError):
        [*inflated((body[:-1],), encoding)]
    with pytest.raises(zlib.error):
        [*inflated((b"\1\2" + body,), "gzip")]
