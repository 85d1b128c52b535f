"""Campaigns: what only ``packaging/test --all`` runs.

Other runs try a sample of each matrix and at most `EXAMPLES` examples of each property, the same ones each time. A property
that is tried for each case of a matrix gets at most `EXAMPLES_OF_A_CASE` for each.
"""

from __future__ import annotations

import os
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from hypothesis import settings

ALL = bool(os.environ.get("ZARRSCOPE_ALL"))
"""Whether campaigns run; ``packaging/test --all`` sets the variable."""

EXAMPLES = 25
"""Examples of a property without ``--all``. With it there are 100, or as many as the test sets."""

EXAMPLES_OF_A_CASE = 10

_SETTINGS = "_hypothesis_internal_use_settings"  # where Hypothesis' own plug-in for pytest reads them


def are_campaigns(items: Sequence[pytest.Item]) -> list[bool]:
    """Whether each test is a campaign: it has this marker, or its matrix is ``sampled`` and it is not in the sample.

    ``@pytest.mark.sampled(COUNT, axes=[…])`` keeps about *COUNT* cases of a matrix (default: 0), and each value of each of the
    parameters in *axes* (default: all) at least once, even if that takes more cases.
    """
    found = [item.get_closest_marker("campaign") is not None for item in items]
    matrices = defaultdict[str, list[int]](list)
    for number, item in enumerate(items):
        if item.get_closest_marker("sampled") and not found[number]:
            matrices[item.nodeid.partition("[")[0]].append(number)
    for name, numbers in matrices.items():
        left = {
            number: _values(items[number]) for number in random.Random(name).sample(numbers, len(numbers))
        }
        count, seen = _count(items[numbers[0]]), set[tuple[str, str]]()
        while left:
            best = max(left, key=lambda number: len(left[number] - seen))
            if left[best] <= seen and len(numbers) - len(left) >= count:
                break
            seen |= left.pop(best)
        for number in left:
            found[number] = True
    return found


def one_of_each(values: Iterable[Any], kind: Callable[[Any], object]) -> list[Any]:
    """Parameters of a matrix of which the first of each kind always runs, and the others are campaigns."""
    seen = set[object]()
    parameters = list[Any]()
    for value in values:
        parameters.append(pytest.param(value, marks=pytest.mark.campaign) if kind(value) in seen else value)
        seen.add(kind(value))
    return parameters


def _count(item: pytest.Item) -> int:
    return next(iter(item.get_closest_marker("sampled").args), 0)


def _values(item: pytest.Item) -> set[tuple[str, str]]:
    parameters = item.callspec.params  # type: ignore[attr-defined]  # a matrix is made of functions
    return {
        (axis, repr(parameters[axis]))
        for axis in item.get_closest_marker("sampled").kwargs.get("axes", parameters)
    }


def shorten(item: pytest.Item) -> None:
    """Let Hypothesis try at most `EXAMPLES` examples in a test, or `EXAMPLES_OF_A_CASE`."""
    most = EXAMPLES_OF_A_CASE if hasattr(item, "callspec") else EXAMPLES
    test, case = getattr(item, "obj", None), getattr(item, "cls", None)
    for holder, name in (
        (getattr(test, "__func__", test), _SETTINGS),
        (case, "settings"),
    ):  # a function; a state machine
        found = getattr(holder, name, None)
        if isinstance(found, settings) and found.max_examples > most:
            setattr(holder, name, settings(found, max_examples=most))
