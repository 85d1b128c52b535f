"""Parsers of the values of mount options."""

from __future__ import annotations

import argparse
import grp
import pwd
import re
from collections.abc import Callable
from typing import Final

_NOBODY: Final = (1 << 32) - 1
"""Not a valid number of a user: for the kernel, it means that no number is given."""


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
