"""The values of the options of the trees: those that are refused, and what the message says."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable

import pytest

from zarrfs.tree_arguments import file_types, thread_count, time_to_live


@pytest.mark.parametrize(
    ("parse", "text", "said"),
    [
        (time_to_live, "soon", "expected seconds or 'forever', found 'soon'"),
        (time_to_live, "-1", "expected seconds"),
        (time_to_live, "inf", "expected seconds"),
        (time_to_live, "nan", "expected seconds"),
        (time_to_live, "", "expected seconds"),
        (file_types, "npy,jpg", "found 'jpg'"),
        (file_types, "npy,", "expected some of raw,npy,.*, found ''"),
        (file_types, "json", "found 'json'"),
        (thread_count, "0", "expected a number from 1 to 1000, found '0'"),
        (thread_count, "1001", "expected a number from 1 to 1000"),
        (thread_count, "²", "expected a number from 1 to 1000"),
        (thread_count, "1.5", "expected a number from 1 to 1000"),
    ],
)
def test_an_invalid_value_is_quoted_with_what_was_expected(
    parse: Callable[[str], object], text: str, said: str
) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match=said):
        parse(text)


def test_the_first_and_the_last_valid_values_are_accepted() -> None:
    assert (thread_count("1"), thread_count("1000")) == (1, 1000)
    assert (time_to_live("0"), time_to_live("0.5"), time_to_live("forever")) == (0.0, 0.5, math.inf)
