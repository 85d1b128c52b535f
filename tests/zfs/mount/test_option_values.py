"""The values of mount options: those that are refused, and what the message says."""

from __future__ import annotations

import argparse
import grp
import os
import pwd
from collections.abc import Callable

import pytest

from zarrfs.mount.option_values import group_number, permissions, user_number


@pytest.mark.parametrize(
    ("parse", "text", "said"),
    [
        (user_number, "-5", "expected a user's name or number, found '-5'"),
        (user_number, "4294967295", "expected a user's name or number"),
        (user_number, "٣", "expected a user's name or number"),
        (user_number, "a\0b", "expected a user's name or number"),
        (group_number, "no such group", "expected a group's name or number, found 'no such group'"),
        (permissions, "8", "expected permissions in octal such as 022, found '8'"),
        (permissions, "1777", "expected permissions in octal"),
        (permissions, "", "expected permissions in octal"),
        (permissions, "022\n", "expected permissions in octal"),
    ],
)
def test_an_invalid_value_is_quoted_with_what_was_expected(
    parse: Callable[[str], object], text: str, said: str
) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=said):
        parse(text)


def test_the_first_and_the_last_valid_values_are_accepted() -> None:
    assert (permissions("0"), permissions("0777")) == (0, 0o777)
    assert (user_number("0"), user_number("4294967294")) == (0, (1 << 32) - 2)


def test_users_and_groups_are_found_by_name() -> None:
    user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(os.getgid())
    assert (user_number(user.pw_name), group_number(group.gr_name)) == (user.pw_uid, group.gr_gid)
