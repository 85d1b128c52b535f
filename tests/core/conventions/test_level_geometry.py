"""Positions of levels agree with the scale and translation that each one has."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrcore.conventions.level_geometry import DescribedLevel, find_levels, geometry
from zarrcore.errors import MetadataError, NodeNotFoundError

ARRAY = SimpleNamespace(kind="array", ndim=2)
STEP = st.floats(0.01, 100) | st.floats(-100, -0.01)
LEVEL = st.builds(DescribedLevel, st.just("0"), st.tuples(STEP, STEP), st.tuples(STEP, STEP))


@given(st.lists(LEVEL, min_size=1, max_size=4), st.tuples(st.integers(0, 9), st.integers(0, 9)))
def test_an_element_of_a_level_lies_where_the_first_level_has_its_position(
    described: list[DescribedLevel], index: tuple[int, int]
) -> None:
    found = geometry([ARRAY] * len(described), described)
    assert found is not None
    for level, told in zip(found.levels, described, strict=True):
        physical = np.array(index) * told.scale + told.translation
        in_first = np.array(index) * level.factors + level.offsets
        np.testing.assert_allclose(in_first * found.spacing + found.origin, physical, atol=1e-6)


@pytest.mark.parametrize("scale", [None, (1.0,), (0.0, 1.0)])
def test_without_a_scale_of_the_first_level_nothing_is_known(scale: Any) -> None:
    assert geometry([ARRAY], [DescribedLevel("0", scale)]) is None


def nodes(**kinds: str) -> Any:
    def find(path: str) -> Any:
        name = path.rpartition("/")[2]
        if name not in kinds:
            raise NodeNotFoundError(path, "memory:")
        return SimpleNamespace(kind=kinds[name], error="no codecs", path=path)

    return find


def test_missing_levels_are_none_except_the_first() -> None:
    found = find_levels("/", ["a", "b", "c"], nodes(a="array", c="broken"))
    assert [node and node.path for node in found] == ["/a", None, "/c"]
    with pytest.raises(NodeNotFoundError):
        find_levels("/", ["b", "a"], nodes(a="array"))


@pytest.mark.parametrize(
    ("kind", "message"),
    [("broken", "the first level of its pyramid is broken: no codecs"), ("group", "levels are missing")],
)
def test_the_first_level_must_be_an_array(kind: str, message: str) -> None:
    with pytest.raises(MetadataError, match=message):
        find_levels("/image", ["a"], nodes(a=kind))


def test_no_levels() -> None:
    with pytest.raises(
        MetadataError, match="/image: its metadata describe a pyramid, but its levels are missing"
    ):
        find_levels("/image", [], nodes())
