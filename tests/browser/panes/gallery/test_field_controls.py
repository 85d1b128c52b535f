"""What is offered is what there is to choose from."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from zarrbrowser.gallery.cells import Cell, FieldChoice, Gallery
from zarrbrowser.panes.gallery.field_controls import FieldControls

RUNS = ((1, "before"), (4, "after"))
WELLS = Gallery("well", (Cell("A1", "/A/1"),), ("A",), ("1",), acquisitions=RUNS, most_fields=3)


@pytest.fixture
def controls(application: QApplication, qtbot: QtBot) -> FieldControls:
    made = FieldControls()
    qtbot.addWidget(made)
    made.show()
    return made


def texts(box: Any) -> list[str]:
    return [box.itemText(at) for at in range(box.count())]


def test_fields_and_acquisitions_of_a_plate(controls: FieldControls) -> None:
    controls.offer(WELLS)
    assert texts(controls.field) == ["Field 0", "Field 1", "Field 2"]
    assert texts(controls.acquisition) == ["All acquisitions", "before", "after"]
    assert controls.choice == FieldChoice()
    controls.acquisition.setCurrentIndex(2)
    told: list[FieldChoice] = []
    controls.chosen.connect(told.append)
    controls.field.setCurrentIndex(1)
    controls.field.activated.emit(1)
    assert told == [FieldChoice(1, 4)]


@pytest.mark.parametrize("gallery", [None, Gallery("image", (Cell("a", "/a"),)), Gallery("well", ())])
def test_nothing_is_offered_where_there_is_one_of_each(
    controls: FieldControls, gallery: Gallery | None
) -> None:
    controls.offer(WELLS)
    controls.offer(gallery)
    assert not controls.field.isVisible()
    assert not controls.acquisition.isVisible()
    assert controls.choice == FieldChoice()


def test_all_fields_of_a_well_are_shown_so_that_none_is_chosen(controls: FieldControls) -> None:
    controls.offer(Gallery("field", (Cell("0", "/0"), Cell("1", "/1")), acquisitions=RUNS, most_fields=2))
    assert not controls.field.isVisible()
    assert controls.acquisition.isVisible()


def test_more_fields_are_offered_once_they_are_known(controls: FieldControls) -> None:
    controls.offer(Gallery("well", ()))
    controls.offer_fields(4)
    controls.field.setCurrentIndex(3)
    controls.offer_fields(2)
    assert controls.field.count() == 4
    assert controls.choice.number == 3
    controls.offer_fields(10**9)
    assert controls.field.count() == 1000


def test_a_choice_comes_back(controls: FieldControls) -> None:
    controls.offer(WELLS)
    controls.restore({"field": 2, "acquisition": 4})
    assert controls.choice == FieldChoice(2, 4)
    assert controls.document() == {"field": 2, "acquisition": 4}
    controls.restore({"field": 5, "acquisition": 9})
    assert controls.choice == FieldChoice(5, None), "the metadata may not tell how many fields there are"


@pytest.mark.parametrize("document", [{}, {"field": True}, {"field": -1}, {"field": "x"}, {"field": 10**9}])
def test_what_does_not_fit_is_ignored(controls: FieldControls, document: dict[str, Any]) -> None:
    controls.offer(WELLS)
    controls.restore(document)
    assert controls.choice == FieldChoice()
