"""Colours of numbers, compared with plain NumPy formulas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from zarrbrowser.image.colours.colour_maps import LABELS, lookup_table
from zarrbrowser.image.colours.contrast import Contrast, ContrastMode, statistics
from zarrbrowser.image.colours.norm import Norm, spread
from zarrbrowser.image.colours.render import Style, blend, brightest_of, coloured, colours_of, rgba
from zarrbrowser.values.elements import Elements
from zarrbrowser.values.numbers import numbers_of

NAN, FILL = (1, 2, 3, 255), (4, 5, 6, 255)


def test_linear_colours_are_those_of_the_map() -> None:
    numbers = np.linspace(-2, 3, 1001)
    found = rgba(numbers, Style("viridis", levels=(0.0, 2.0)))
    index = np.clip(np.floor(numbers / 2 * 256), 0, 255).astype(int)
    assert np.array_equal(found[:, :3], lookup_table("viridis")[index])
    assert (found[:, 3] == 255).all()


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.int16])
def test_small_integers_by_table_are_the_same(dtype: type[np.integer]) -> None:
    info = np.iinfo(dtype)
    numbers = np.random.default_rng(1).integers(info.min, info.max, (300, 300), dtype, endpoint=True)
    style = Style("magma", levels=(3.0, 200.0))
    assert np.array_equal(rgba(numbers, style), rgba(numbers.astype(np.float64), style))


@given(
    hnp.arrays(np.float64, 20, elements=st.floats(allow_nan=True, allow_infinity=True)),
    st.sampled_from(list(Norm)),
    st.floats(-1e6, 1e6),
    st.floats(1e-3, 1e6),
)
def test_any_number_has_a_colour_and_order_is_kept(
    numbers: np.ndarray, norm: Norm, low: float, span: float
) -> None:
    found = rgba(numbers, Style("gray", norm, (low, low + span), nan=NAN))
    is_nan = np.isnan(numbers)
    assert (found[is_nan] == NAN).all()
    ordered = found[~is_nan][np.argsort(numbers[~is_nan], kind="stable")][:, 0].astype(int)
    assert (np.diff(ordered) >= 0).all()


def test_fill_value_and_nan_have_different_colours() -> None:
    numbers = np.array([[0.0, np.nan, 5.0]])
    found = rgba(numbers, Style(levels=(0.0, 10.0), nan=NAN, fill=FILL), numbers == 0)
    assert found[0, 0].tolist() == list(FILL)
    assert found[0, 1].tolist() == list(NAN)
    assert found[0, 2].tolist() == [128, 128, 128, 255]


@pytest.mark.parametrize("dtype", ["u1", "i4", "u8", "i8"])
def test_labels_keep_their_colour_and_differ(dtype: str) -> None:
    labels = np.arange(100).astype(dtype).reshape(10, 10)
    found = rgba(labels, Style(LABELS))
    assert np.array_equal(found, rgba(labels[::-1], Style(LABELS))[::-1])
    assert found[0, 0].tolist() == [0, 0, 0, 255]
    assert len(np.unique(found.reshape(-1, 4), axis=0)) > 70


def test_blended_channels_are_added() -> None:
    one, two = np.array([[0.0, 5.0, 10.0]]), np.array([[4.0, np.nan, 4.0]], np.float32)
    found = blend([one, two], Elements(), [(0.0, 10.0), (0.0, 8.0)], [(255, 0, 0), (200, 100, 0)], Style())
    assert found[0].tolist() == [[100, 50, 0, 255], [128, 0, 0, 255], [255, 50, 0, 255]]


def test_rgb_is_drawn_unchanged_also_with_few_bits() -> None:
    plain = np.random.default_rng(1).integers(0, 255, (5, 6, 3), dtype=np.uint8)
    assert np.array_equal(coloured(plain, 255.0, Elements(), Style())[..., :3], plain)
    wide = np.array([[[4095, 0, 2048, 65535]]], np.uint16)
    assert coloured(wide, 4095.0, Elements(), Style())[0, 0].tolist() == [255, 0, 128, 255]


@pytest.mark.parametrize("size", [1, 300])
def test_what_is_missing_in_all_channels_has_the_colour_for_that(size: int) -> None:
    one, two = (np.array([row], np.uint16).repeat(size, 0) for row in ([9, 9, 4, 99], [9, 2, 9, 4]))
    elements, style = Elements(fill=(9,), valid=(0, 50)), Style(nan=NAN, fill=FILL)
    colours = [(255, 0, 0), (0, 255, 0)]
    found = blend([one, two], elements, [(0.0, 4.0)] * 2, colours, style)
    assert found[-1].tolist() == [list(FILL), [0, 128, 0, 255], [255, 0, 0, 255], [0, 255, 0, 255]]
    nothing = np.array([[np.nan, np.nan, 9.0]]), np.array([[np.nan, 9.0, 1.0]])
    found = blend(nothing, Elements(fill=(9.0,)), [(0.0, 4.0)] * 2, colours, style)
    assert found[0].tolist() == [list(NAN), list(NAN), [0, 64, 0, 255]]


def test_a_colour_is_missing_if_red_green_and_blue_are() -> None:
    photo = np.array([[[7, 7, 7, 255], [7, 7, 8, 255], [200, 7, 210, 7]]], np.uint8)
    style = Style(nan=NAN, fill=FILL)
    found = coloured(photo, 255.0, Elements(fill=(7,), valid=(0, 199)), style)
    assert found[0].tolist() == [list(FILL), [7, 7, 8, 255], list(FILL)]
    floats = np.array([[[np.nan] * 3, [np.nan, 1, 0]]], np.float32)
    assert coloured(floats, 1.0, Elements(), style)[0].tolist() == [list(NAN), [0, 255, 0, 255]]


def test_missing_colours_and_nan_do_not_darken_the_others() -> None:
    wide = np.array([[[65535] * 3, [100, 4095, 3]]], np.uint16)
    assert brightest_of(wide, Elements(fill=(65535,))) == 4095
    assert brightest_of(wide, Elements()) == 65535
    assert brightest_of(np.array([[[np.nan, 3.0, 2.0]]]), Elements()) == 3


def test_infinity_is_bright_and_does_not_darken_the_others() -> None:
    photo = np.array([[[np.inf, 5, -np.inf, 1], [2, 4, 10, np.nan], [0, 0, 0, np.inf]]], np.float32)
    found = coloured(photo, brightest_of(photo, Elements()), Elements(), Style())
    assert found[0].tolist() == [[255, 128, 0, 255], [51, 102, 255, 0], [0, 0, 0, 255]]


@pytest.mark.parametrize(
    "numbers",
    [
        np.array([1e-45, 2e-45, 4e-45]) * 1e-5,
        np.array([1.0, 2.0, 4.0]) * 1e-300,
        np.array([1.0, 2.0, 4.0]) * 1e300,
        np.array([1.0, 2.0, 4.0]) * 2e305,
        np.array([1e-40, 2e-40, 4e-40], np.float32),
        2**60 + np.array([1, 2, 4]),
        np.array([2**64 - 4, 2**64 - 3, 2**64 - 1], np.uint64),
        -(2**62) + np.array([0, 1, 3]),
    ],
)
def test_small_differences_are_visible_at_any_magnitude(numbers: np.ndarray) -> None:
    drawn = numbers_of(numbers)
    found = statistics(drawn)
    levels = found.levels(Contrast(ContrastMode.FULL_RANGE))
    assert spread(drawn, Norm.LINEAR, levels) == pytest.approx([0, 1 / 3, 1], rel=1e-4)
    assert found.histogram.sum() == 3
    assert (found.histogram > 0).sum() == 3
    assert len({tuple(one) for one in rgba(drawn, Style("gray", levels=levels)).tolist()}) == 3


@pytest.mark.parametrize("dtype", ["f4", "f8", "u2", ">i2", "u4"])
@pytest.mark.parametrize("colour_map", ["viridis", LABELS])
def test_blocks_of_a_large_picture_have_the_colours_of_its_rows(dtype: str, colour_map: str) -> None:
    values = (np.random.default_rng(2).normal(size=(300, 500)) * 99).astype(np.int16).astype(dtype)
    style, elements = Style(colour_map, levels=(-40.0, 90.0), fill=FILL), Elements(fill=(3.0,))
    found = colours_of(values, elements, style)
    assert np.array_equal(found, np.stack([colours_of(row, elements, style) for row in values]))


def test_large_channels_are_blended_as_their_rows_are() -> None:
    planes = np.random.default_rng(4).integers(0, 2**16, (2, 300, 500), np.uint16)
    style = Style(norm=Norm.SQRT, fill=FILL)
    how = (Elements(fill=(7,)), [(0.0, 5e4), (9.0, 6e4)], [(255, 0, 30), (0, 200, 77)], style)
    rows = [blend([plane[row : row + 1] for plane in planes], *how) for row in range(300)]
    assert np.array_equal(blend(list(planes), *how), np.concatenate(rows))
