"""Metadata documents as JSON: refused with MetadataError, or equal to what Python's json reads."""

from __future__ import annotations

import json
from collections.abc import Iterable

from zarrcore.errors import MetadataError
from zarrcore.metadata.json_document import MAX_DEPTH, format_json, parse_json_object

WORDS = (
    "{",
    "}",
    "[",
    "]",
    '":',
    '"a":1,',
    "\\u",
    "\\ud83d",
    "\\",
    "NaN",
    "-Infinity",
    "1e999",
    "true",
    "null",
    "\ufeff",
    "é",
)


def check(data: bytes) -> None:
    """json reads the same, or there is a reason to refuse the document."""
    try:
        found = parse_json_object(data)
    except MetadataError:
        assert not _is_fine(data), "refused without reason"
        return
    expected = json.loads(data.decode("utf-8-sig"))
    assert repr(found) == repr(expected)
    again = parse_json_object(format_json(found))
    assert format_json(again) == format_json(found)


def _is_fine(data: bytes) -> bool:
    """Whether json reads an object without repeated names that is not too deep."""
    repeated = False

    def note(pairs: list[tuple[str, object]]) -> dict[str, object]:
        nonlocal repeated
        repeated = repeated or len(dict(pairs)) < len(pairs)
        return dict(pairs)

    try:
        document = json.loads(data.decode("utf-8-sig"), object_pairs_hook=note)
    except (ValueError, RecursionError):
        return False
    return isinstance(document, dict) and not repeated and _depth(document) <= MAX_DEPTH


def _depth(value: object) -> int:
    if isinstance(value, dict):
        return 1 + max(map(_depth, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(_depth, value), default=0)
    return 0


def examples() -> Iterable[bytes]:
    """Objects, nested, with escapes, and some that are refused."""
    return [
        b'{"a": [1, 2.5, "x\\u00e9\\ud83d\\ude00", true, null, {"b": {}}]}',
        b'{"a": 1, "a": 2}',
        b'\xef\xbb\xbf{"a": NaN, "b": "[[[\\"]"}',
        b'{"a": ' + b"[" * 99 + b"]" * 99 + b"}",
        b'{"a": ' + b"[" * 100 + b"]" * 100 + b"}",
        b"[1]",
    ]
