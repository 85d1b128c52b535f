"""What a node is, shown once it is read."""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

import zarrcore
from zarrbrowser.panes.meaning_facts import MeaningFacts
from zarrbrowser.session.sources import Source, SourceRequest
from zarrbrowser.workers import Workers
from zarrcore.stores import MemoryStore

SCALE = [{"type": "scale", "scale": [0.5, 0.5]}]
AXES = [{"name": name, "type": "space", "unit": "micrometer"} for name in "yx"]
IMAGE = {"multiscales": [{"axes": AXES, "datasets": [{"path": "0", "coordinateTransformations": SCALE}]}]}


@pytest.fixture
def facts(workers: Workers, qtbot: QtBot) -> MeaningFacts:
    made = MeaningFacts(workers)
    qtbot.addWidget(made)
    return made


def show(facts: MeaningFacts, attributes: dict[str, Any], *arrays: str) -> None:
    hierarchy = zarrcore.create(MemoryStore())
    hierarchy["/"].attributes = attributes
    for name in arrays:
        hierarchy.create_array(name, shape=(4, 6), dtype="uint8")
    facts.show_node(Source(SourceRequest("memory:"), hierarchy, hierarchy["/"]), hierarchy["/"])


def texts(facts: MeaningFacts) -> dict[str, str]:
    assert facts.grid is not None
    return {name: label.text() for name, label in facts.grid.texts.items()}


def test_an_image(facts: MeaningFacts, qtbot: QtBot) -> None:
    show(facts, {"ome": {"version": "0.5", **IMAGE}}, "0")
    qtbot.waitUntil(lambda: "Levels" in texts(facts))
    assert texts(facts) == {"Axes": "y  space  0.5 µm\nx  space  0.5 µm", "Levels": "0  4 × 6"}
    assert facts.isVisibleTo(None)


def test_an_image_whose_level_is_missing_says_so(facts: MeaningFacts, qtbot: QtBot) -> None:
    show(facts, {"ome": IMAGE})
    qtbot.waitUntil(lambda: "Error" in texts(facts))
    assert "0" in texts(facts)["Error"]


def test_a_group_without_a_convention_shows_nothing(facts: MeaningFacts, qtbot: QtBot) -> None:
    show(facts, {"ome": {"version": "0.5", **IMAGE}}, "0")
    show(facts, {"title": "plain"})
    assert facts.grid is None
    assert not facts.isVisibleTo(None)
