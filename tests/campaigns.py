"""Campaigns: what only ``packaging/test --all`` runs.

Other runs try a sample of each matrix and at most `EXAMPLES` examples of each property, the same ones each time.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

ALL = bool(os.environ.get("ZARRSCOPE_ALL"))
"""Whether campaigns run; ``packaging/test --all`` sets the variable."""

EXAMPLES = 25
"""Examples of a property without ``--all``. With it there are 100, or as many as the test sets."""

_SETTINGS = "_hypothesis_internal_use_settings"  # where Hypothesis' own plug-in for pytest reads them


def sample(
    cases: Iterable[Any], count: int = 0, *, key: Callable[..., Any] = lambda *values: values
) -> list[ParameterSet]:
    """The *cases* of a matrix for ``parametrize``; all but about *count* of them are campaigns.

    *key* returns a value for each axis of the matrix (by default each parameter is an axis). The sample has each value
    of each axis at least once, even if that takes more than *count* cases.
    """
    every = [
        case
        if isinstance(case, ParameterSet)
        else pytest.param(*(case if isinstance(case, tuple) else [case]))
        for case in cases
    ]
    order = random.Random(0).sample(range(len(every)), len(every))
    kinds = {}
    for number in order:
        axes = key(*every[number].values)
        kinds[number] = {
            (axis, repr(value)) for axis, value in enumerate(axes if isinstance(axes, tuple) else [axes])
        }
    kept, seen = set[int](), set[tuple[int, str]]()
    while kinds:
        best = max(kinds, key=lambda number: len(kinds[number] - seen))
        if kinds[best] <= seen and len(kept) >= count:
            break
        kept.add(best)
        seen |= kinds.pop(best)
    return [
        case if number in kept else case._replace(marks=[*case.marks, pytest.mark.campaign])
        for number, case in enumerate(every)
    ]


def shorten(item: pytest.Item) -> None:
    """Let Hypothesis try at most `EXAMPLES` examples in a test."""
    test, case = getattr(item, "obj", None), getattr(item, "cls", None)
    for holder, name in (
        (getattr(test, "__func__", test), _SETTINGS),
        (case, "settings"),
    ):  # a function; a state machine
        found = getattr(holder, name, None)
        if isinstance(found, settings) and found.max_examples > EXAMPLES:
            setattr(holder, name, settings(found, max_examples=EXAMPLES))
