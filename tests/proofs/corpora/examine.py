"""What becomes of a file: arrays that are as an independent reader has them, and refusals with their sentences."""

from __future__ import annotations

import json
import math
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import zarrcore
from tests.proofs.corpora.readers import MOST_ELEMENTS, Expected, reader_of
from tests.proofs.fuzz.sources import check_sentence
from zarrcore.errors import InternalError, ZarrError
from zarrcore.hierarchy import ArrayNode, BrokenNode
from zarrcore.typing import AnyArray


class Outcome(NamedTuple):
    """What became of a file."""

    equal: int
    """Arrays that are the same."""
    refused: dict[str, str]
    """Sentences by the paths of nodes; "" is the file itself."""
    different: dict[str, str]
    """What differs, by the paths of nodes, and what the other reader does not read."""


def examine(path: Path) -> Outcome:
    """Compare all arrays of a file with what an independent reader reads.

    Raises:
        AssertionError: zarrscope failed in a way in which it must never fail.
    """
    outcome = Outcome(0, {}, {})
    equal = 0
    with ExitStack() as stack:
        found: dict[str, ArrayNode] = {}
        try:
            hierarchy = stack.enter_context(zarrcore.open_hierarchy(path))
            for node in hierarchy.walk():
                if isinstance(node, BrokenNode):
                    outcome.refused[node.path] = sentence(node.error)
                elif isinstance(node, ArrayNode):
                    found[node.path] = node
        except ZarrError as error:
            outcome.refused[""] = sentence(error)
            return outcome
        expected: dict[str, Expected] = {}
        try:
            expected.update(reader_of(path)(path, stack))
        except Exception as error:  # noqa: BLE001 - readers have all kinds of errors
            outcome.different[""] = f"the other reader fails: {error!r}"
        for name, node in found.items():
            try:
                elements = [node[selection] for selection in selections(node.shape)]
            except ZarrError as error:
                outcome.refused[name] = sentence(error)
                continue
            other = expected.get(name)
            if other is None:
                continue
            why = difference(node, elements, other)
            if why:
                outcome.different[name] = why
            else:
                equal += 1
        for name in expected.keys() - found.keys() - outcome.refused.keys():
            outcome.different[name] = "not shown"
    return outcome._replace(equal=equal)


def sentence(error: ZarrError) -> str:
    """The message of an error, which must be one of the data."""
    assert not isinstance(error, InternalError), error
    check_sentence(error)
    return str(error)


def selections(shape: tuple[int, ...]) -> list[Any]:
    """All of an array, or both ends of a large one."""
    if math.prod(shape) <= MOST_ELEMENTS:
        return [...]
    return [tuple(slice(0, 8) for _ in shape), tuple(slice(max(0, length - 8), length) for length in shape)]


def difference(node: ArrayNode, elements: list[AnyArray], other: Expected) -> str:
    """What differs, or an empty text."""
    if node.shape != tuple(other.shape):
        return f"the shape is {node.shape}, not {other.shape}"
    for selection, mine in zip(selections(node.shape), elements, strict=True):
        try:
            theirs = np.asarray(other.read(selection))
        except Exception as error:  # noqa: BLE001 - readers have all kinds of errors
            return f"the other reader fails: {error!r}"
        if not same(np.asarray(mine), theirs):
            return f"elements of {mine.dtype} differ from those of {theirs.dtype}"
    return ""


def same(mine: AnyArray, theirs: AnyArray) -> bool:
    """Whether elements are the same, NaN included."""
    if theirs.dtype.hasobject:
        return all(same_object(mine[place], element) for place, element in np.ndenumerate(theirs))
    if mine.dtype.kind == "c" and theirs.dtype.names:  # of MATLAB, which h5py shows as they are stored
        return same(mine.real, theirs["real"]) and same(mine.imag, theirs["imag"])
    if mine.dtype.names or theirs.dtype.names:
        return mine.dtype.names == theirs.dtype.names and all(
            same(mine[name], theirs[name]) for name in mine.dtype.names
        )
    return np.array_equal(mine, theirs, equal_nan=mine.dtype.kind in "fc")


def same_object(mine: Any, theirs: Any) -> bool:
    """Whether an element without a fixed length is the same: a text, or what JSON has for it."""
    if isinstance(mine, np.ndarray | np.generic):
        mine = mine.tolist()
    if isinstance(mine, bytes):
        mine = mine.decode()
    if isinstance(mine, str) and not isinstance(theirs, str):
        mine = json.loads(mine)
    if isinstance(mine, dict):
        mine = [*mine.values()]
    if isinstance(theirs, list):
        return len(mine) == len(theirs) and all(map(same_object, mine, theirs))
    if isinstance(theirs, str) and theirs.endswith("["):  # a region, whose selection h5py has no words for
        return bool(mine.startswith(theirs))
    return bool(mine == theirs or (mine != mine and theirs != theirs))  # NaN
