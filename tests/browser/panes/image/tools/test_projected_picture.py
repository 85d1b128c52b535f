"""Map projections in the real window: the picture, the pointer, zooming, and the way back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from tests.browser.conftest import OpenWindow
from tests.browser.maps.grids import tripolar
from tests.browser.panes.image.pictures import VOLUME, pane_of, show
from tests.browser.panes.image.tools.mapped import EAST, NORTH, ocean, shown, world
from zarrbrowser.export.figures.figure import Picture
from zarrbrowser.maps.projection import Projection
from zarrbrowser.maps.projections import places
from zarrbrowser.panes.image.image_pane import ImagePane
from zarrbrowser.panes.image.picture_painter import Painted, Task
from zarrbrowser.panes.image.tools.projected_picture import ProjectedPicture


def projections(*kinds: str) -> list[Any]:
    """All projections, of which all but one of each kind (cylindrical, pseudocylindrical, azimuthal, conic) are campaigns."""
    return [
        pytest.param(one, marks=[] if one.name in kinds else pytest.mark.campaign, id=one.name)
        for one in Projection
        if one is not Projection.NONE
    ]


@pytest.fixture
def pane(open_window: OpenWindow, qtbot: QtBot) -> ImagePane:
    found = pane_of(open_window(world(), "/array"), qtbot)
    qtbot.waitUntil(lambda: found.view.is_complete and found.body.controls.map.isEnabled())
    return found


def choose(pane: ImagePane, projection: Projection) -> None:
    """Choose an entry of the menu."""
    next(one for one in pane.body.tools.map.projections.actions() if one.data() is projection).trigger()


def picture_of(pane: ImagePane) -> ProjectedPicture:
    return pane.view.projection


def is_drawn(pane: ImagePane) -> bool:
    canvas = picture_of(pane).canvas
    return canvas is not None and canvas.isVisible() and canvas.image.image is not None


@pytest.mark.parametrize("projection", projections("MERCATOR", "MOLLWEIDE", "SOUTH", "ALBERS"))
def test_each_projection_is_drawn_with_its_lines(
    projection: Projection, pane: ImagePane, qtbot: QtBot
) -> None:
    pane.body.tools.map.graticule.trigger()
    choose(pane, projection)
    qtbot.waitUntil(lambda: is_drawn(pane) and bool(picture_of(pane).lines.sketch.graticule.labels))
    canvas = picture_of(pane).canvas
    assert canvas is not None
    assert canvas.image.image[..., 3].any()
    assert picture_of(pane).lines.sketch.coastlines.rows.size > 100
    assert pane.grab().toImage().width() > 0


def test_a_picture_that_cannot_be_painted_leaves_no_map_of_the_one_before(
    pane: ImagePane, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    choose(pane, Projection.ROBINSON)
    qtbot.waitUntil(lambda: is_drawn(pane))

    def fail(_task: Task) -> Painted:
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(Task, "painted", fail)
        pane.model.set(colour_map="magma")
        qtbot.waitUntil(lambda: picture_of(pane).canvas.image.image is None)
    pane.retry()
    qtbot.waitUntil(lambda: is_drawn(pane))


def test_the_pointer_tells_the_element_under_it(pane: ImagePane, qtbot: QtBot) -> None:
    choose(pane, Projection.ROBINSON)
    qtbot.waitUntil(lambda: is_drawn(pane))
    found = picture_of(pane)
    assert found.canvas is not None
    assert found.chart is not None
    assert pane.model.state is not None
    assert pane.model.state.geography is not None
    plane = pane.model.state.geography.plane(pane.model.state.settings.axes)
    assert plane is not None
    east, north = EAST[12], NORTH[9]
    place = [float(one[0]) for one in found.chart.to_plane(np.array([east]), np.array([north]))]
    assert np.allclose(
        places(found.chart, plane, *(np.array([one]) for one in place)), [[9], [12]], atol=0.01
    )
    with qtbot.waitSignal(pane.pointed) as heard:
        found.canvas.pointed.emit(tuple(place))
    assert heard.args[0].startswith(f"lat = 9 ({north:.7g} °N), lon = 12 ({east} °E):  ")
    value = VOLUME[pane.model.state.settings.axes.index[0], 9, 12]
    assert str(value)[:6] in heard.args[0]
    with qtbot.waitSignal(pane.canvas.picked) as picked:
        found.canvas.picked.emit(tuple(place))
    assert np.allclose(picked.args[0], (9, 12), atol=0.01)
    with qtbot.waitSignal(pane.pointed) as heard:
        found.canvas.pointed.emit((0.0, 0.0))
    assert heard.args[0] == "", "beyond the edge of the world"


@pytest.mark.parametrize("projection", projections("PLATE_CARREE", "ROBINSON", "ORTHOGRAPHIC", "LAMBERT"))
def test_curved_grids_are_drawn_in_each_projection(
    projection: Projection, open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane = pane_of(open_window(ocean(), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and shown(pane.view.map))
    pane.body.tools.map.graticule.trigger()
    choose(pane, projection)
    qtbot.waitUntil(lambda: is_drawn(pane) and bool(picture_of(pane).lines.sketch.graticule.labels))
    canvas, found = picture_of(pane).canvas, picture_of(pane)
    assert canvas is not None
    assert found.sampling is not None
    assert (canvas.image.image[..., 3] > 0).sum() > 0.8 * np.isfinite(found.sampling.rows).sum()
    assert found.lines.sketch.coastlines.rows.size > 100


def test_the_pointer_tells_the_element_of_a_curved_grid(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(ocean(), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and shown(pane.view.map))
    choose(pane, Projection.ROBINSON)
    qtbot.waitUntil(lambda: is_drawn(pane))
    found = picture_of(pane)
    assert found.canvas is not None
    assert found.chart is not None
    east, north = (one[12, 20] for one in tripolar(40, 22, 8))
    place = [float(one[0]) for one in found.chart.to_plane(np.array([east]), np.array([north]))]
    with qtbot.waitSignal(pane.pointed) as heard:
        found.canvas.pointed.emit(tuple(place))
    assert heard.args[0].startswith(f"j = 12, i = 20, lat {north:.7g} °N, lon {east:.7g} °E:  ")
    assert pane.model.state is not None
    assert str(VOLUME[pane.model.state.settings.axes.index[0], 12, 20])[:6] in heard.args[0]
    hole = [float(one[4, 12]) for one in tripolar(40, 22, 8)]
    place = [float(one[0]) for one in found.chart.to_plane(*(np.array([one]) for one in hole))]
    with qtbot.waitSignal(pane.pointed) as heard:
        found.canvas.pointed.emit(tuple(place))
    assert heard.args[0] == "", "a hole"


def test_the_map_follows_the_sliders_and_the_zoom(pane: ImagePane, qtbot: QtBot) -> None:
    choose(pane, Projection.ORTHOGRAPHIC)
    qtbot.waitUntil(lambda: is_drawn(pane))
    canvas = picture_of(pane).canvas
    assert canvas is not None
    before = canvas.image.image
    pane.body.sliders.spins[0].setValue(5)
    qtbot.waitUntil(
        lambda: canvas.image.image is not before and not np.array_equal(canvas.image.image, before)
    )
    canvas.show_range((900, 1000), (900, 1000))
    qtbot.waitUntil(lambda: pane.canvas.visible().rows[1] - pane.canvas.visible().rows[0] < 15)
    pane.fit()
    qtbot.waitUntil(lambda: pane.canvas.visible().rows[1] - pane.canvas.visible().rows[0] > 15)
    assert canvas.is_fitted


def test_other_axes_show_rows_and_columns(pane: ImagePane, qtbot: QtBot) -> None:
    choose(pane, Projection.ROBINSON)
    qtbot.waitUntil(lambda: is_drawn(pane))
    assert pane.model.state is not None
    pane.model.set(axes=pane.model.state.settings.axes.with_rows(0))
    canvas = picture_of(pane).canvas
    assert canvas is not None
    qtbot.waitUntil(lambda: not canvas.isVisible())


def test_the_projection_is_restored(pane: ImagePane, qtbot: QtBot) -> None:
    choose(pane, Projection.ROBINSON)
    document = pane.view_state()
    assert document["projection"] == "Robinson"
    choose(pane, Projection.NONE)
    pane.restore(document)
    qtbot.waitUntil(lambda: is_drawn(pane))


def test_a_map_that_shows_nothing_says_so(open_window: OpenWindow, qtbot: QtBot) -> None:
    pane = pane_of(open_window(world(np.linspace(80, 40, 30), np.arange(40)), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.body.controls.map.isEnabled())
    with qtbot.waitSignal(pane.reported) as heard:
        choose(pane, Projection.SOUTH)
    assert heard.args == ["South polar stereographic maps do not show this part of the Earth."]
    assert picture_of(pane).chart is None


def test_a_map_that_shows_nothing_uncovers_the_picture_also_after_another_map(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    pane = pane_of(open_window(world(np.linspace(90, 40, 30)), "/array"), qtbot)
    qtbot.waitUntil(lambda: pane.view.is_complete and pane.body.controls.map.isEnabled())
    choose(pane, Projection.ROBINSON)
    qtbot.waitUntil(lambda: is_drawn(pane))
    with qtbot.waitSignal(picture_of(pane).failed):
        choose(pane, Projection.SOUTH)
    assert not is_drawn(pane)
    choose(pane, Projection.ROBINSON)
    qtbot.waitUntil(lambda: is_drawn(pane))
    choose(pane, Projection.MERCATOR)
    choose(pane, Projection.NONE)  # before that map is ready
    assert not is_drawn(pane)


def test_pictures_without_a_place_ignore_a_projection(open_new_window: OpenWindow, qtbot: QtBot) -> None:
    pane, _ = show(open_new_window, qtbot, VOLUME, ("z", "y", "x"))
    pane.model.set(projection=Projection.ROBINSON)
    assert picture_of(pane).canvas is None
    assert pane.body.controls.chunks.isEnabled()


def test_a_figure_has_the_map_of_the_screen(pane: ImagePane, qtbot: QtBot) -> None:
    assert pane.figure() is not None
    choose(pane, Projection.MOLLWEIDE)
    qtbot.waitUntil(lambda: is_drawn(pane) and bool(picture_of(pane).lines.sketch.coastlines.rows.size))
    source = pane.figure()
    assert source is not None
    sampled = picture_of(pane).sampling
    assert sampled is not None
    panel = source.as_shown().panels[0][2]
    assert isinstance(panel, Picture)
    assert not panel.has_axes
    assert panel.map_lines is picture_of(pane).lines.sketch
    canvas = picture_of(pane).canvas
    assert canvas is not None
    assert np.array_equal(panel.layers[0].pixels[..., 3] > 0, canvas.image.image[..., 3] > 0)
    choose(pane, Projection.NONE)
    qtbot.waitUntil(lambda: picture_of(pane).chart is None)
    flat = pane.figure()
    assert flat is not None
    panel = flat.as_shown().panels[0][2]
    assert isinstance(panel, Picture)
    assert panel.has_axes


def test_points_of_series_are_marked_on_the_map(pane: ImagePane, qtbot: QtBot) -> None:
    pane.body.controls.series.click()
    series = pane.body.tools.series
    pane.canvas.picked.emit((4.0, 7.0))
    choose(pane, Projection.MOLLWEIDE)
    qtbot.waitUntil(lambda: is_drawn(pane) and series.map_marks.getData()[0].size == 1)
    picture = picture_of(pane)
    assert picture.canvas is not None
    assert picture.chart is not None
    assert series.map_marks.getViewBox() is picture.canvas.view
    (x,), (y,) = series.map_marks.getData()
    plane = pane.model.state.geography.plane(pane.model.state.settings.axes)  # type: ignore[union-attr]
    assert plane is not None
    found = places(picture.chart, plane, np.array([y]), np.array([x]))
    assert [float(one[0]) for one in found] == pytest.approx([4.0, 7.0], abs=0.01)
    choose(
        pane,
        Projection.SOUTH if plane.to_earth(np.array([4.0]), np.array([7.0]))[1] > 0 else Projection.NORTH,
    )
    qtbot.waitUntil(lambda: series.map_marks.getData()[0].size == 0, timeout=5000)
    choose(pane, Projection.NONE)
    assert series.marks.getData()[0].tolist() == [7.0]
