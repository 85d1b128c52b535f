"""The drawing of a chunk grid has a line where chunks end."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest

import zarrcore
from tests.core.array.test_rectilinear import PACKED
from tests.core.array.test_rectilinear import written as rectilinear
from zarrcore.notebook.chunk_drawing import chunk_drawing
from zarrcore.stores import MemoryStore

SVG = "{http://www.w3.org/2000/svg}"


def array(shape: tuple[int, ...], **layout: Any) -> zarrcore.Array:
    return zarrcore.create(MemoryStore()).create_array("a", shape=shape, dtype="uint8", **layout)


def lines(drawing: str, kind: str) -> list[tuple[float, ...]]:
    root = ET.fromstring(drawing)
    found = (line for line in root.iter(f"{SVG}line") if line.get("class") == kind)
    return [tuple(float(line.get(name, "")) for name in ("x1", "y1", "x2", "y2")) for line in found]


def texts(drawing: str) -> list[str | None]:
    return [text.text for text in ET.fromstring(drawing).iter(f"{SVG}text")]


def test_chunks_of_a_plane_end_at_lines() -> None:
    drawing = chunk_drawing(array((300, 200), chunks=(100, 80), dimension_names=["y", "x"]))
    upright = [line for line in lines(drawing, "zs-cut") if line[0] == line[2]]
    level = [line for line in lines(drawing, "zs-cut") if line[1] == line[3]]
    assert [line[0] for line in upright] == [40, 80]
    assert [line[1] for line in level] == [50, 100]
    assert texts(drawing) == ["x 200", "y 300"]


def test_a_line_has_one_row_of_chunks() -> None:
    drawing = chunk_drawing(array((1000,), chunks=(400,)))
    assert [line[0] for line in lines(drawing, "zs-cut")] == [60, 120]
    assert texts(drawing) == ["1,000"]


def test_a_volume_has_depth_and_further_dimensions_are_told() -> None:
    drawing = chunk_drawing(
        array((2, 5, 40, 40), chunks=(1, 2, 40, 40), dimension_names=["t", "z", "y", "x"])
    )
    assert len(lines(drawing, "zs-cut")) == 2 * 2
    assert texts(drawing) == ["x 40", "y 40", "z 5", "for each of t 2"]


def test_chunks_inside_shards_are_thinner() -> None:
    drawing = chunk_drawing(array((8, 8), chunks=(2, 2), shards=(4, 4)))
    assert len(lines(drawing, "zs-inner")) == 3 + 3
    assert len(lines(drawing, "zs-cut")) == 1 + 1


def test_chunks_that_differ_in_length_are_drawn_so() -> None:
    values = np.zeros((8, 8), "u2")
    drawing = chunk_drawing(zarrcore.open_hierarchy(rectilinear([[1, 3, 4], [8]], values, PACKED))["/"])
    assert [line[1] for line in lines(drawing, "zs-cut")] == [18.8, 75]


@pytest.mark.parametrize("shape", [(10**9, 10**9), (1, 10**12), (10**6,) * 3, (3,) * 32])
def test_a_drawing_is_small_for_every_array(shape: tuple[int, ...]) -> None:
    drawing = chunk_drawing(array(shape, chunks=(1,) * len(shape)))
    assert len(drawing) < 20_000
    assert 0 < len(lines(drawing, "zs-cut")) <= 32 * 4


@pytest.mark.parametrize("shape", [(), (0,), (5, 0)])
def test_an_array_without_elements_or_dimensions_has_no_drawing(shape: tuple[int, ...]) -> None:
    assert chunk_drawing(array(shape)) == ""
