"""Sliders and numbers for the axes that are not in the picture, and films along them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.fakes import FakeArray
from zarrbrowser.coordinates.coordinates import Coordinate
from zarrbrowser.image.axes import Axes
from zarrbrowser.widgets.axis_sliders import AxisSliders


@pytest.fixture
def sliders(qtbot: QtBot) -> AxisSliders:
    made = AxisSliders()
    qtbot.addWidget(made)
    made.show_axes(axes_of(6, 1, 4))
    made.show()
    return made


@pytest.fixture
def moves(sliders: AxisSliders) -> list[tuple[int, int]]:
    """What the sliders announce."""
    heard: list[tuple[int, int]] = []
    sliders.moved.connect(lambda axis, position: heard.append((axis, position)))
    return heard


def axes_of(*lengths: int) -> Axes:
    """A plane at position 0 of axes of these lengths."""
    names = tuple(f"a{number}" for number in range(len(lengths)))
    shape = (*lengths, 5, 7)
    array = FakeArray(np.broadcast_to(np.uint8(0), (*[1] * len(lengths), 5, 7)))
    array.shape, array.ndim = shape, len(shape)
    return replace(Axes.initial(array, (*names, "y", "x")), index=(0,) * len(shape))


def test_slider_and_number_follow_each_other(sliders: AxisSliders, moves: list[tuple[int, int]]) -> None:
    sliders.sliders[2].setValue(3)
    assert sliders.spins[2].value() == 3
    sliders.spins[0].setValue(5)
    assert sliders.sliders[0].value() == 5
    assert moves == [(2, 3), (0, 5)], "each once"
    sliders.step(-1)
    sliders.step(-99)
    assert moves[2:] == [(0, 4), (0, 0)], "along the axis that moved last, to its end"


def test_an_axis_with_one_position_cannot_move(sliders: AxisSliders) -> None:
    assert [sliders.sliders[axis].isEnabled() for axis in (0, 1, 2)] == [True, False, True]
    assert not sliders.spins[1].isEnabled()
    assert not sliders.plays[1].isEnabled()
    assert sliders.totals[1].text == "of 0–0"


def test_moving_to_a_plane_is_not_announced(sliders: AxisSliders, moves: list[tuple[int, int]]) -> None:
    sliders.stand_at(axes_of(6, 1, 4).at(0, 2).at(2, 3))
    assert [sliders.spins[axis].value() for axis in (0, 1, 2)] == [2, 0, 3]
    assert [sliders.sliders[axis].value() for axis in (0, 1, 2)] == [2, 0, 3]
    assert moves == []


@pytest.mark.parametrize("length", [2**31 - 1, 2**31, 2**40])
def test_each_position_of_a_very_long_axis_can_be_typed(
    length: int, sliders: AxisSliders, moves: list[tuple[int, int]]
) -> None:
    sliders.show_axes(axes_of(length))
    for position in (length - 1, length - 2, 1):
        sliders.spins[0].setValue(position)
    assert moves == [(0, length - 1), (0, length - 2), (0, 1)]
    sliders.sliders[0].setValue(sliders.sliders[0].maximum())
    assert 0.999 * length < moves[-1][1] < length
    assert sliders.totals[0].text == f"of 0–{length - 1:,}"


def test_coordinates_are_beside_the_numbers(sliders: AxisSliders) -> None:
    time = Coordinate("a0", "s", np.arange(6) * 0.5)
    sliders.show_coordinates({0: time})
    sliders.spins[0].setValue(3)
    assert [sliders.totals[axis].text for axis in (0, 2)] == ["1.5 s", "of 0–3"]
    sliders.show_coordinates({})
    assert sliders.totals[0].text == "of 0–5"


def test_a_long_coordinate_leaves_room_for_the_slider(sliders: AxisSliders) -> None:
    place = "the tropical Pacific between the date line and the coast of South America"
    sliders.resize(560, sliders.height())
    sliders.show_coordinates({0: Coordinate("a0", "", np.array([place] * 6))})
    assert sliders.totals[0].text == place
    sliders.grab()  # lays out
    assert 40 <= sliders.totals[0].width() < sliders.totals[0].sizeHint().width()
    assert sliders.totals[0].toolTip().splitlines() == [place, "6 positions, counted from 0"]
    assert sliders.sliders[0].width() >= 80


def test_in_a_narrow_frame_nothing_is_cut_off(qtbot: QtBot) -> None:
    made = AxisSliders(has_statistics=True)
    qtbot.addWidget(made)
    made.resize(700, 100)
    made.show_axes(axes_of(6, 1, 4))
    made.show_coordinates({0: Coordinate("a0", "", np.array(["2000-01-01"] * 6))})
    made.show()
    total, button, spin = made.totals[0], made.statistics[0], made.spins[0]
    assert total.y() < spin.geometry().bottom(), "beside the number"
    height = made.sizeHint().height()
    assert made.minimumSizeHint().width() <= 340, "the least width of each of two pictures"
    made.resize(340, 300)
    qtbot.waitUntil(lambda: made.inside.width() <= made.width())
    assert total.y() > spin.geometry().bottom(), "below the number"
    assert total.width() >= total.sizeHint().width()
    inside = made.inside.rect()
    assert all(inside.contains(one.geometry()) for one in (total, button, spin, made.sliders[0]))
    made.resize(700, 300)
    qtbot.waitUntil(lambda: total.y() < spin.geometry().bottom())
    assert made.sizeHint().height() == height


def test_a_film_goes_round_and_waits_for_each_plane(
    sliders: AxisSliders, moves: list[tuple[int, int]]
) -> None:
    sliders.play(2)
    assert sliders.is_playing
    assert sliders.next_positions(2) == [(2, 1), (2, 2)]
    for _ in range(5):
        sliders.ticker.timeout.emit()
    assert [position for _axis, position in moves] == [1, 2, 3, 0, 1]
    sliders.may_play = lambda: False
    sliders.ticker.timeout.emit()
    assert len(moves) == 5
    assert sliders.next_positions(99) == [(2, 2), (2, 3), (2, 0)], "each other plane once"
    sliders.play(0)
    assert sliders.is_playing, "another axis instead"
    sliders.play()
    assert not sliders.is_playing
    assert sliders.next_positions(3) == []


def test_a_film_ends_with_its_array_and_out_of_sight(sliders: AxisSliders) -> None:
    sliders.play(0)
    sliders.show_axes(axes_of(3))
    assert not sliders.is_playing
    sliders.play()
    assert sliders.is_playing
    sliders.hide()
    sliders.ticker.timeout.emit()
    assert not sliders.is_playing
    sliders.play(7)
    assert not sliders.is_playing, "this axis does not exist"


def test_a_plane_without_further_axes_has_no_sliders(
    sliders: AxisSliders, moves: list[tuple[int, int]]
) -> None:
    sliders.show_axes(axes_of(3), ())
    assert not sliders.isVisible()
    sliders.step(1)
    sliders.play()
    assert (moves, sliders.is_playing) == ([], False)
    sliders.show_axes(axes_of(3))
    assert sliders.isVisible()


def test_the_menu_of_the_play_button_says_how_to_play(
    sliders: AxisSliders, moves: list[tuple[int, int]]
) -> None:
    def choose(text: str) -> None:
        menu = sliders.plays[0].menu()
        assert menu is not None
        menu.aboutToShow.emit()
        next(one for one in menu.actions() if one.text() == text).trigger()

    choose("25 per second")
    choose("Forward and back")
    choose("Loop")
    assert sliders.ticker.interval() == 40
    menu = sliders.plays[2].menu()
    assert menu is not None
    menu.aboutToShow.emit()
    ticked = [one.text() for one in menu.actions() if one.isChecked()]
    assert ticked == ["25 per second", "Forward and back"], "for all axes"
    sliders.play(2)
    for _ in range(9):
        if sliders.is_playing:
            sliders.ticker.timeout.emit()
    assert [position for _axis, position in moves] == [1, 2, 3, 2, 1, 0]
    assert not sliders.is_playing, "it does not start again"
