"""Segments of keys and node names as file names, reversibly.

A file name cannot be empty, ``.`` or ``..``, or contain NUL; a segment of a key can. Such segments
are written with a percent sign: ``%`` (empty), ``%2E``, ``%2E%2E`` and ``%00`` for each NUL. Every other segment
is its own file name, even with a percent sign, unless it could be mistaken for one of these: then each percent
sign of the ambiguous part is written ``%25``. Repeated, this stays unambiguous: ``%`` is written
``%25``, ``%25`` is written ``%2525``.

>>> [file_name(segment) for segment in ("", ".", "..", "a%20b", "%2E", "50%", "%")]
['%', '%2E', '%2E%2E', 'a%20b', '%252E', '50%', '%25']
>>> [segment(name) for name in ("%", "%2E%2E", "%252E", "a%2500b", "50%")]
['', '..', '%2E', 'a%00b', '50%']
"""

from __future__ import annotations

import re
from typing import Final

_SPECIAL: Final = {"": "%", ".": "%2E", "..": "%2E%2E"}
_MEANT: Final = {name: segment for segment, name in _SPECIAL.items()}
_WHOLE: Final = re.compile(r"%(?P<more>(?:25)*)(?:2E(?:%(?P=more)2E)?)?")
"""A whole special name, after any number of times (also none) that its percent signs were written ``%25``."""
_NUL: Final = re.compile(r"%(?:25)*00")


def file_name(segment: str) -> str:
    """The file name for a segment of a key."""
    if segment.isalnum():
        return segment
    if "%" not in segment and "\0" not in segment:
        return _SPECIAL.get(segment, segment)
    if _WHOLE.fullmatch(segment):
        return segment.replace("%", "%25")
    escaped = _NUL.sub(lambda match: "%25" + match[0][1:], segment)
    return escaped.replace("\0", "%00")


def segment(name: str) -> str:
    """The segment of a key for a file name."""
    if "%" not in name:
        return name
    if _WHOLE.fullmatch(name):
        return _MEANT[name] if name in _MEANT else name.replace("%25", "%")
    return _NUL.sub(lambda match: "\0" if match[0] == "%00" else "%" + match[0][3:], name)
