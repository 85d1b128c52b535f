"""Parsers of the values of mount options."""

from __future__ import annotations

import argparse
import grp
import math
import pwd
import re
from collections.abc import Callable
from typing import Final

from zarrcore.filetypes import FILE_TYPES

_NOBODY: Final = (1 << 32) - 1
"""Not a valid number of a user: for the kernel, it means that no number is given."""

SHOWABLE: Final = tuple(kind.suffix for kind in FILE_TYPES if not kind.is_text)
"""The file types that listings can show, by suffix."""


def time_to_live(text: str) -> float:
    """Seconds, or ``forever``.

    >>> time_to_live("60"), time_to_live("forever")
    (60.0, inf)
    """
    if text == "forever":
        return math.inf
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(f"expected seconds or 'forever', found {text!r}")
    return seconds


def user_number(text: str) -> int:
    """A user's number, by number or name.

    >>> user_number("1000"), user_number("root")
    (1000, 0)
    """
    return _number_of(text, "user", lambda name: pwd.getpwnam(name).pw_uid)


def group_number(text: str) -> int:
    """A group's number, by number or name.

    >>> group_number("1000"), group_number("root")
    (1000, 0)
    """
    return _number_of(text, "group", lambda name: grp.getgrnam(name).gr_gid)


def _number_of(text: str, kind: str, named: Callable[[str], int]) -> int:
    if text.isascii() and text.isdigit() and int(text) < _NOBODY:
        return int(text)
    try:
        return named(text)
    except (KeyError, ValueError):
        raise argparse.ArgumentTypeError(f"expected a {kind}'s name or number, found {text!r}") from None


def permissions(text: str) -> int:
    """Permissions in octal.

    >>> permissions("027")
    23
    """
    if not re.fullmatch("0?[0-7]{1,3}", text):
        raise argparse.ArgumentTypeError(f"expected permissions in octal such as 022, found {text!r}")
    return int(text, 8)


def file_types(text: str) -> tuple[str, ...]:
    """File types, separated by commas.

    >>> file_types("npy,tiff"), file_types("")
    (('npy', 'tiff'), ())
    """
    names = tuple(text.split(",")) if text else ()
    for name in names:
        if name not in SHOWABLE:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(SHOWABLE)}, found {name!r}")
    return names


def thread_count(text: str) -> int:
    """A number of threads.

    >>> thread_count("32")
    32
    """
    if not (text.isascii() and text.isdigit()) or not 1 <= int(text) <= 1000:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1000, found {text!r}")
    return int(text)
