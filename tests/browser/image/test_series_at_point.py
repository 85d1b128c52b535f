"""A series through an element is that of NumPy, from the chunks on its line alone; CSV files hold it exactly."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.fakes import FakeArray
from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.levels import Channel, Image, image_of_array, whole
from zarrbrowser.image.series_at_point import SeriesAtPoint, axes_of_series, write_csv
from zarrbrowser.image.view_settings import initial_settings


@given(st.data(), st.integers(1, 40), st.integers(1, 9))
def test_the_numbers_are_those_on_the_line(data: st.DataObject, length: int, chunk: int) -> None:
    values = np.random.default_rng(0).integers(0, 99, (length, 3, 4)).astype("i2")
    array = FakeArray(values, ("time", "y", "x"), (min(chunk, length), 3, 4))
    array.attributes = {"_FillValue": 7, "scale_factor": 0.5}
    image = image_of_array(array)
    place = data.draw(st.tuples(st.integers(0, 2), st.integers(0, 3)))
    axis = data.draw(st.integers(0, 2))
    series = SeriesAtPoint(image, initial_settings(image), place, axis)
    index: list[Any] = list(series.index)
    index[axis] = slice(None)
    stored = values[tuple(index)]
    done: list[float] = []
    numbers = series.read(progress=done.append)
    assert np.array_equal(numbers, np.where(stored == 7, np.nan, stored * 0.5), equal_nan=True)
    assert done == sorted(done)
    assert done[-1] == 1.0
    assert series.cost().chunks == -(-values.shape[axis] // array.chunk_shape[axis])


def test_only_the_line_is_read_and_it_can_be_stopped() -> None:
    array = FakeArray(np.zeros((1000, 3, 4)), ("time", "y", "x"), (1, 3, 4))
    image = image_of_array(array)
    series = SeriesAtPoint(image, initial_settings(image), (2, 1), 0)
    series.read()
    assert {selection[1:] for selection in array.selections} == {(2, 1)}
    assert len(array.selections) == 63
    assert series.name == "y = 2, x = 1"
    latitudes = Coordinate("y", "°N", np.array([50.0, 51.5, 53.0]))
    assert series.described({1: latitudes}) == "y = 2 (53 °N), x = 1"


def test_a_blend_has_the_series_of_its_first_visible_channel() -> None:
    values = np.arange(2 * 5 * 3 * 4).reshape(2, 5, 3, 4)
    channels = (Channel("a", (255, 0, 0), is_on=False), Channel("b", (0, 255, 0)))
    array = FakeArray(values, ("c", "t", "y", "x"))
    image = Image(
        "/i", (whole(array),), ("c", "t", "y", "x"), channel_axis=0, channels=channels, is_blended=True
    )
    series = SeriesAtPoint(image, initial_settings(image), (1, 2), 1)
    assert series.read().tolist() == values[1, :, 1, 2].tolist()
    assert series.name == "c = 1, y = 1, x = 2"


def test_colours_count_with_their_mean() -> None:
    values = np.random.default_rng(1).integers(0, 255, (6, 8, 9, 3)).astype("u1")
    image = image_of_array(FakeArray(values, ("z", "y", "x", "rgb")))
    series = SeriesAtPoint(image, initial_settings(image), (4, 5), 0)
    assert series.read() == pytest.approx(values[:, 4, 5].mean(axis=1))


def test_times_are_offered_first_then_sliders_then_the_picture() -> None:
    image = image_of_array(FakeArray(np.zeros((1, 5, 6, 2, 3)), ("c", "z", "time", "y", "x")))
    axes = initial_settings(image).axes
    assert axes_of_series(axes) == [2, 1, 3, 4]
    assert axes_of_series(replace(axes, rows=2)) == [2, 1, 3, 4]


def test_a_file_has_positions_coordinates_and_a_column_for_each_series(tmp_path: Path) -> None:
    path, numbers = tmp_path / "out.csv", np.array([0.1, np.nan, 1 / 3])
    dates = Coordinate("time", "", np.array(["2000-01-01", "2000-02-01", "2000-03-01"], "M8[D]"))
    write_csv(str(path), "time", dates, [("y = 1, x = 2", numbers), ("y = 1, x = 3", -numbers)])
    rows = list(csv.reader(path.read_text().splitlines()))
    assert rows[0] == ["time", "time (coordinate)", "y = 1, x = 2", "y = 1, x = 3"]
    assert [row[:2] for row in rows[1:]] == [["0", "2000-01-01"], ["1", "2000-02-01"], ["2", "2000-03-01"]]
    assert np.array_equal([float(row[2]) for row in rows[1:]], numbers, equal_nan=True)
    write_csv(str(path), "z", Coordinate("z", "m", np.arange(3) / 2), [("a", numbers)])
    assert path.read_text().splitlines()[:2] == ["z,z (m),a", "0,0.0,0.1"]
    write_csv(str(path), "z", None, [("a", numbers)])
    assert path.read_text().splitlines()[0] == "z,a"
    with pytest.raises(OSError, match="gone"):
        write_csv(str(tmp_path / "gone" / "out.csv"), "z", None, [("a", numbers)])
