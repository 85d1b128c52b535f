"""Error bars end where the standard deviations say."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import zarrcore as zc
from zarrbrowser.plot.error_bars import MOST_BARS, Bars
from zarrbrowser.plot.series import Series, SeriesRequest, bars_along, log_outline, outline, read_series
from zarrbrowser.values.elements import Elements, unpacking_of
from zarrbrowser.values.numbers import DRAWABLE
from zarrcore.errors import UnreadableNodeError

COUNTS = np.array([4, 100, 0, 25, 9], "i4")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A spectrum as h5py writes it."""
    with h5py.File(tmp_path / "a.nxs", "w") as file:
        data = file.create_group("data")
        data.attrs.update({"NX_class": "NXdata", "signal": "counts"})
        data["counts"] = COUNTS
        data["counts_errors"] = np.sqrt(COUNTS)
    return tmp_path / "a.nxs"


def series_of(path: Path, *, is_log: bool = False) -> Series:
    with zc.open_hierarchy(path) as hierarchy:
        array = hierarchy["data/counts"]
        elements = Elements(packing=unpacking_of(array))
        return read_series(SeriesRequest(array, elements, hierarchy.node), is_log=is_log)


def test_bars_are_one_deviation_long_on_each_side(path: Path) -> None:
    series = series_of(path)
    assert series.bars is not None
    np.testing.assert_allclose(series.bars.low, COUNTS - np.sqrt(COUNTS))
    np.testing.assert_allclose(series.bars.high, COUNTS + np.sqrt(COUNTS))
    assert series.extremes == (0.0, 110.0), "the view shows whole bars"
    x, y = bars_along(series.bars, outline(series.numbers, 0, 5, 800)) or ((), ())
    assert np.array_equal(x[::3], np.arange(5))
    assert np.array_equal(y[:3], [2, 6, np.nan], equal_nan=True)


def test_bars_of_logarithms_end_at_logarithms(path: Path) -> None:
    series = series_of(path, is_log=True)
    assert series.bars is not None
    known = COUNTS > 0
    np.testing.assert_allclose(series.bars.low[known], np.log10((COUNTS - np.sqrt(COUNTS))[known]))
    assert np.isnan(series.bars.low[~known]).all()
    assert series.extremes == pytest.approx((np.log10(2), np.log10(110)))
    line = log_outline(series.numbers, 0, 1, 800)
    x, y = bars_along(series.bars, line) or ((), ())
    np.testing.assert_allclose(x[::3], np.log10(np.arange(1, 5)))
    np.testing.assert_allclose(y[:2], np.log10([90, 110]))


@given(
    st.lists(
        st.tuples(st.floats(-10, 10) | st.floats(), st.floats(0, 10) | st.floats(0)), min_size=1, max_size=30
    ),
    st.booleans(),
)
@example([(1e308, 1e308), (-1e308, 1e308), (np.inf, np.inf), (np.inf, 1)], False)
@example([(1e308, 1e308), (np.inf, np.inf), (np.inf, 1), (5e-324, 1e308)], True)
def test_each_bar_contains_its_number(points: list[tuple[float, float]], is_log: bool) -> None:
    raw, deviations = np.array(points).T
    bars = Bars.of(raw, deviations, is_log=is_log)
    with np.errstate(invalid="ignore", divide="ignore"):
        numbers = np.log10(raw) if is_log else raw
    known = np.isfinite(bars.low) & np.isfinite(bars.high)
    assert np.array_equal(known, ~np.isnan(bars.low))
    assert np.array_equal(known, ~np.isnan(bars.high))
    assert (known == (np.isfinite(raw) & np.isfinite(deviations) & ((raw > 0) if is_log else True))).all()
    assert (bars.low[known] <= numbers[known]).all()
    assert (numbers[known] <= bars.high[known]).all()
    assert (bars.low[is_log & known & (deviations >= raw)] == -DRAWABLE).all()


def test_many_bars_are_not_drawn() -> None:
    numbers = np.ones(MOST_BARS + 1)
    bars = Bars.of(numbers, numbers, is_log=False)
    assert bars_along(bars, outline(numbers, 0, numbers.size, 5000)) is None
    assert bars_along(bars, outline(numbers, 0, 99, 5000)) is not None
    assert bars_along(bars, outline(numbers, 0, numbers.size, 64)) is None


def test_packed_numbers_have_no_bars(path: Path) -> None:
    """Nothing says whether the deviations have the factor of the counts, too."""
    with h5py.File(path, "a") as file:
        file["data/counts"].attrs["scale_factor"] = 0.5
    assert series_of(path).bars is None


def test_unreadable_deviations_leave_the_line(path: Path) -> None:
    with h5py.File(path, "a") as file:
        del file["data/counts_errors"]
        file["data/counts_errors"] = h5py.SoftLink("/nowhere")
    series = series_of(path)
    assert np.array_equal(series.numbers, COUNTS)
    assert series.bars is None
    assert isinstance(series.uncertainties.problem, UnreadableNodeError)
