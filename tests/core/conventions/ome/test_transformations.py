"""Transformations are what NumPy computes of points, or they are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.conventions.ome.transformations import Alignment, alignment, described, listed
from zarrcore.typing import AnyArray

STEPS = st.lists(st.integers(-9, 9).map(float), min_size=3, max_size=3)
POINT = np.array([2.0, -3.0, 5.0])


def scale(*steps: float) -> dict[str, Any]:
    return {"type": "scale", "scale": list(steps)}


def translation(*steps: float) -> dict[str, Any]:
    return {"type": "translation", "translation": list(steps)}


def sequence(*parts: dict[str, Any]) -> dict[str, Any]:
    return {"type": "sequence", "transformations": list(parts)}


def applied(told: Alignment | None, point: AnyArray = POINT) -> list[float]:
    assert told is not None
    scaled = point * (1.0 if told.scale is None else np.array(told.scale))
    return (scaled + (0.0 if told.translation is None else np.array(told.translation))).tolist()


def matrix_of(transformation: dict[str, Any]) -> AnyArray:
    """The homogeneous matrix of scales, translations and their sequences."""
    matrix = np.eye(4)
    if transformation["type"] == "scale":
        matrix[:3, :3] = np.diag(transformation["scale"])
    elif transformation["type"] == "translation":
        matrix[:3, 3] = transformation["translation"]
    else:
        for part in transformation["transformations"]:
            matrix = matrix_of(part) @ matrix
    return matrix


STEP = STEPS.map(lambda steps: scale(*steps)) | STEPS.map(lambda steps: translation(*steps))
SEQUENCE = st.recursive(
    STEP, lambda inner: st.lists(inner, min_size=1, max_size=4).map(lambda p: sequence(*p))
)


@given(SEQUENCE)
def test_sequences_are_products_of_matrices(transformation: dict[str, Any]) -> None:
    expected = matrix_of(transformation) @ [*POINT, 1]
    assert applied(alignment(transformation)) == expected[:3].tolist()


@given(st.lists(STEP, max_size=4))
def test_a_list_is_a_sequence(steps: list[dict[str, Any]]) -> None:
    assert applied(listed(steps)) == (matrix_of(sequence(*steps)) @ [*POINT, 1])[:3].tolist()


@given(STEPS, STEPS)
def test_an_affine_matrix_without_mixed_axes(steps: list[float], shifts: list[float]) -> None:
    rows = np.column_stack([np.diag(steps), shifts])
    found = applied(alignment({"type": "affine", "affine": rows.tolist()}))
    assert found == (rows @ [*POINT, 1]).tolist()


def test_transformations_of_single_axes() -> None:
    parts = [
        {"transformation": translation(-1), "inputAxes": [1], "outputAxes": [1]},
        {"transformation": scale(2, 3), "inputAxes": [0, 2], "outputAxes": [0, 2]},
    ]
    assert applied(alignment({"type": "byDimension", "transformations": parts})) == [4, -4, 15]


@pytest.mark.parametrize(
    ("transformation", "expected"),
    [
        ({"type": "identity"}, [2, -3, 5]),
        ({"type": "mapAxis", "mapAxis": [0, 1, 2]}, [2, -3, 5]),
        ({"type": "rotation", "rotation": [[1, 0, 0], [0, -1, 0], [0, 0, -1]]}, [2, 3, -5]),
        ({"type": "bijection", "forward": scale(2, 2, 2), "inverse": scale(0.5, 0.5, 0.5)}, [4, -6, 10]),
        (sequence(translation(1, 1, 1), scale(2, 1, 1)), [6, -2, 6]),
    ],
)
def test_other_types(transformation: dict[str, Any], expected: list[float]) -> None:
    assert applied(alignment(transformation)) == expected


@pytest.mark.parametrize(
    "transformation",
    [
        {"type": "mapAxis", "mapAxis": [1, 0]},
        {"type": "rotation", "rotation": [[0, -1], [1, 0]]},
        {"type": "affine", "affine": [[1, 2, 3], [4, 5, 6]]},
        {"type": "affine", "affine": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]},
        {"type": "affine", "path": "matrix"},
        {"type": "affine", "affine": [[1, 0], 7]},
        {"type": "displacements", "path": "field"},
        {"type": "projectAxis", "droppedInputs": [0]},
        {"type": "scale", "path": "scales"},
        {"type": "translation", "translation": ["1"]},
        {
            "type": "byDimension",
            "transformations": [{"transformation": scale(2), "inputAxes": [0], "outputAxes": [1]}],
        },
        {
            "type": "byDimension",
            "transformations": [{"transformation": scale(2), "inputAxes": [1], "outputAxes": [1]}],
        },
        {
            "type": "byDimension",
            "transformations": [{"transformation": scale(2, 3), "inputAxes": [0], "outputAxes": [0]}],
        },
        sequence(),
        sequence(scale(2), {"type": "rotation", "rotation": [[0, -1], [1, 0]]}),
        {"type": ["scale"]},
        {},
        7,
        None,
    ],
    ids=str,
)
def test_what_mixes_axes_or_is_invalid_is_refused(transformation: Any) -> None:
    assert alignment(transformation) is None


def test_invalid_steps_of_a_list_are_ignored() -> None:
    steps = [7, {"type": "rotation"}, scale(2, 2), {"type": "scale", "scale": "big"}, translation(1, 1)]
    assert listed(steps) == Alignment((2, 2), (1, 1))
    assert listed("scale") == Alignment()


def test_numbers_beyond_every_float_are_unknown() -> None:
    assert listed([scale(1e300), scale(1e300), translation(1)]) == Alignment(None, (1,))


@pytest.mark.parametrize(
    ("transformation", "words"),
    [
        ({"type": "rotation", "output": {"name": "registered"}}, 'rotation to "registered"'),
        ({"type": "affine", "output": "world"}, 'affine to "world"'),
        ({"output": {"path": "labels/cells"}}, 'unknown transformation to "labels/cells"'),
        ({"type": "affine"}, "affine"),
    ],
)
def test_words(transformation: dict[str, Any], words: str) -> None:
    assert described(transformation) == words
