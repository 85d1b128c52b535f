"""Metadata documents as JSON objects, parsed with bounds.

RFC 8259, as the accepted specification's "Metadata" demands, with one exception: the bare tokens ``NaN`` and
``Infinity``, which some writers put in attributes, are read (and never written). A document is not trusted:
its size and depth are checked before anything is built from it.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np

from zarrcore.errors import MetadataError
from zarrcore.printable import is_page, json_fault, title_of_page

JsonObject = dict[str, Any]
"""A JSON object with any JSON values."""

MAX_DOCUMENT_BYTES = 64 << 20
MAX_DEPTH = 100

_QUOTE = ord('"')
_STEPS = np.zeros(256, np.int8)
_STEPS[list(b"[{")], _STEPS[list(b"]}")] = 1, -1
_NEITHER_QUOTE_NOR_BRACKET = bytes(set(range(256)) - set(b'"[]{}'))
_BLOCK_NBYTES = 1 << 20


def parse_json_object(data: bytes | memoryview) -> JsonObject:
    """The JSON object that ``data`` holds.

    Raises:
        MetadataError: invalid JSON, not an object, too large, too deep, not UTF-8, or a name that occurs twice. Its cause is
            a ValueError if the text is not JSON.

    >>> parse_json_object(b'{"shape": [3]}')
    {'shape': [3]}
    """
    if len(data) > MAX_DOCUMENT_BYTES:
        raise MetadataError(
            f"a document of {len(data):,} bytes exceeds the {MAX_DOCUMENT_BYTES >> 20} MiB allowed"
        )
    data = bytes(data)
    if is_page(data):  # in any encoding, with brackets of any depth
        raise MetadataError(f"expected a JSON object, found {_page(data)}") from ValueError("not JSON")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise MetadataError(
            f"expected JSON text in UTF-8, found byte {error.object[error.start]:#04x}"
        ) from error
    _check_depth(data)
    try:
        document = _DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        if isinstance(error, MetadataError):
            raise
        raise MetadataError(f"expected a JSON object: {json_fault(error)}") from error
    if not isinstance(document, dict):
        raise MetadataError(f"expected a JSON object, found {describe(document)}")
    return document


def _page(data: bytes) -> str:
    title = title_of_page(data)
    return f"a web page{f' ({title})' if title else ''}, perhaps one to log in: sign in, or give credentials"


def _without_duplicates(pairs: list[tuple[str, Any]]) -> JsonObject:
    result = dict(pairs)
    if len(result) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        twice = counts.most_common(1)[0][0]
        raise MetadataError("the name occurs twice in one object", member=twice)
    return result


_DECODER = json.JSONDecoder(object_pairs_hook=_without_duplicates)


def _check_depth(text: bytes) -> None:
    if text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return  # a document with so few brackets cannot be deeper
    # Without escapes, every quotation mark begins or ends a string, and brackets inside strings do not count.
    bare = text.replace(b"\\\\", b"").replace(b'\\"', b"")
    characters = np.frombuffer(bare.translate(None, _NEITHER_QUOTE_NOR_BRACKET), np.uint8)
    depth = quotes = 0
    for start in range(0, len(characters), _BLOCK_NBYTES):
        block = characters[start : start + _BLOCK_NBYTES]
        marks = quotes + np.cumsum(block == _QUOTE)
        depths = depth + np.cumsum(np.where(marks % 2, 0, _STEPS[block]))
        if depths.max() > MAX_DEPTH:
            raise MetadataError(f"objects and arrays nested deeper than {MAX_DEPTH}")
        depth, quotes = int(depths[-1]), int(marks[-1])


def describe(value: Any) -> str:
    """A JSON value as an error message describes it.

    >>> describe([1, 2]), describe(None)
    ('an array of 2', 'null')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            number = str(value)
            return f"the number {number}" if len(number) <= 60 else f"a number of {len(number):,} digits"
        case str():
            return f"the string {value!r}" if len(value) <= 60 else f"a string of {len(value):,} characters"
        case list():
            return f"an array of {len(value):,}"
        case dict():
            return f"an object of {len(value):,} members"
        case _:
            return f"a {type(value).__name__}"


def format_json(document: Any) -> bytes:
    """``document`` as indented JSON text with a final newline; non-finite numbers become the strings of the spec."""
    document = _finite(document)
    try:
        return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
    except UnicodeEncodeError:
        # Half a surrogate pair has no UTF-8 form, but it can be escaped.
        return (json.dumps(document, indent=2, allow_nan=False) + "\n").encode()


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {name: _finite(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(member) for member in value]
    return value
