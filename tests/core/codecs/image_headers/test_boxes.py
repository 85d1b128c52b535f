"""Boxes of ISO base media files."""

from __future__ import annotations

import pytest

from zarrcore.codecs.image_headers.boxes import boxes


def found(data: bytes) -> list[tuple[bytes, bytes]]:
    """All boxes."""
    return [(kind, bytes(content)) for kind, content in boxes(data)]


def test_lengths_have_three_forms() -> None:
    long = b"\0\0\0\1long" + (18).to_bytes(8, "big") + b"ab"
    assert found(b"\0\0\0\x09exif1" + long + b"\0\0\0\0restcde") == [
        (b"exif", b"1"),
        (b"long", b"ab"),
        (b"rest", b"cde"),
    ]


@pytest.mark.parametrize("data", [b"", b"\0\0\0", b"\0\0\0\3abcd", b"\0\0\0\1abcd" + bytes(8)])
def test_what_is_not_a_box_ends_them(data: bytes) -> None:
    assert found(data) == []
