"""The choices for figures, kept from one run to the next; and their limits."""

from __future__ import annotations

from typing import Any

import pytest

from zarrbrowser.export.figures.choices import FigureChoices
from zarrbrowser.export.figures.figure import FigureOptions

SUFFIXES = {"png": "", "pdf": ""}


def test_choices_are_kept_without_the_title() -> None:
    options = FigureOptions(80.0, 60.0, 600, 7.5, "of one figure", has_axes=False, is_transparent=True)
    document = FigureChoices(options, "pdf", "inches").document()
    found = FigureChoices.of(document, SUFFIXES)
    assert (found.suffix, found.unit, found.options.title) == ("pdf", "inches", "")
    assert found.document() == document


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"dpi": "many", "suffix": "exe", "unit": "cubits"},
        {"width_mm": -5},
        {"dpi": 10**400},
        {"has_axes": 3},
    ],
)
def test_a_malformed_document_means_the_defaults(document: dict[str, Any]) -> None:
    assert FigureChoices.of(document, SUFFIXES) == FigureChoices()
