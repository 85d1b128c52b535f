"""Attributes as JSON text that the user edits, and what is wrong with it.

The rules are those of zarrcore: an object, each name once, and a bounded depth. Bare ``NaN`` and ``Infinity`` are
read; they are stored as text, because JSON has no such numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zarrbrowser.nodes.describe import json_text


@dataclass(frozen=True, slots=True)
class TextProblem:
    """Why a text cannot be stored as attributes."""

    reason: str
    """One sentence without its place."""
    line: int = 0
    """From 1; 0 if the place is unknown."""
    column: int = 0
    """From 1."""

    def __str__(self) -> str:
        if not self.line:
            return self.reason
        return f"Line {self.line:,}, column {self.column:,}: {self.reason[0].lower()}{self.reason[1:]}"


def attribute_text(attributes: Mapping[str, Any]) -> str:
    """The attributes as text to edit."""
    return json_text(attributes) if attributes else "{\n}"


def problem_of(text: str) -> TextProblem | None:
    """What is wrong with a text; None if it can be stored.

    >>> print(problem_of('{"a" 1}'))
    Line 1, column 6: expected a colon after the name.
    >>> print(problem_of('{"a": 1, "a": 2}'))
    Line 1, column 10: the name "a" occurs twice in one object.
    >>> problem_of('{"a": [1, null]}')
    """
    from zarrcore.errors import MetadataError  # late: for a fast start
    from zarrcore.metadata import parse_json_object

    try:
        parse_json_object(text.encode("utf-8", "surrogatepass"))
    except MetadataError as error:
        cause = error.__cause__
        if isinstance(cause, json.JSONDecodeError):
            return TextProblem(_plain(cause.msg, text, cause.pos), *_place(text, cause.pos))
        if error.member and (twice := _second(text, error.member)) is not None:
            return TextProblem(
                f"The name {json.dumps(error.member, ensure_ascii=False)} occurs twice in one object.",
                *_place(text, twice),
            )
        return TextProblem(error.reason[0].upper() + error.reason[1:] + ".")
    return None


def attributes_in(text: str) -> dict[str, Any]:
    """The attributes that a text holds.

    Raises:
        MetadataError: `problem_of` says what is wrong.
    """
    from zarrcore.metadata import parse_json_object  # late: for a fast start

    return parse_json_object(text.encode("utf-8", "surrogatepass"))


def has_non_finite(value: Any) -> bool:
    """Whether there is a number that JSON cannot hold.

    >>> has_non_finite({"a": [1.0, float("nan")]}), has_non_finite({"a": "NaN"})
    (True, False)
    """
    if isinstance(value, Mapping):
        return any(has_non_finite(one) for one in value.values())
    if isinstance(value, list | tuple):
        return any(has_non_finite(one) for one in value)
    return isinstance(value, float) and not math.isfinite(value)


def are_same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two sets of attributes are the same in a document; the order of names does not count.

    >>> are_same({"a": 1}, {"a": 1.0}), are_same({"a": float("nan")}, {"a": "NaN"})
    (False, True)
    """
    return _canonical(one) == _canonical(other)


def _canonical(value: Any) -> str:
    return json.dumps(_spelled(value), sort_keys=True, default=str)


def _spelled(value: Any) -> Any:
    """The value with non-finite numbers as zarrcore stores them."""
    if isinstance(value, Mapping):
        return {str(name): _spelled(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_spelled(one) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return value


def _place(text: str, position: int) -> tuple[int, int]:
    before = text[:position]
    return before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1


_PLAIN = {
    "Expecting property name enclosed in double quotes": "Expected a name in quotation marks.",
    "Illegal trailing comma before end of object": "Expected a name in quotation marks.",
    "Illegal trailing comma before end of array": "Expected a value.",
    "Expecting ':' delimiter": "Expected a colon after the name.",
    "Expecting ',' delimiter": "Expected a comma or a closing bracket.",
    "Expecting value": "Expected a value: a number, a text in quotation marks, true, false, null, [ or {.",
    "Extra data": "Expected the end of the text.",
    "Unterminated string starting at": "This text has no closing quotation mark.",
    "Invalid control character at": "A text in quotation marks must not contain a line break or a tab: write \\n or \\t.",
    "Invalid \\escape": "This is not an escape: write \\\\ for a backslash.",
    "Invalid \\uXXXX escape": "Expected four hexadecimal digits after \\u.",
}


def _plain(message: str, text: str, position: int) -> str:
    if position >= len(text.rstrip()) and not message.startswith("Unterminated"):
        return "The text ends too early."
    for start, plain in _PLAIN.items():
        if message.startswith(start):
            return plain
    return message + "."


def _second(text: str, name: str) -> int | None:
    """The position of a name where it occurs in an object that already has it."""
    decoder, objects, position = json.JSONDecoder(), [set[str]()], 0
    while position < len(text):
        letter = text[position]
        if letter == '"':
            try:
                found, end = decoder.raw_decode(text, position)
            except ValueError:
                return None
            rest = text[end:].lstrip(" \t\r\n")
            if rest.startswith(":"):
                if found == name and found in objects[-1]:
                    return position
                objects[-1].add(found)
            position = end
            continue
        if letter in "{[":
            objects.append(set())
        elif letter in "}]" and len(objects) > 1:
            objects.pop()
        position += 1
    return None
