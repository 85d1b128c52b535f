"""The colours of the two appearances, named by their use."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Colours:
    """One appearance. Text on any background has a contrast of at least 4.5; outlines of fields and of the focus have 3."""

    name: str
    window: str
    """The background of bars and panes."""
    surface: str
    """The background of text and input fields."""
    canvas: str
    """Around pictures and plots."""
    raised: str
    """Buttons."""
    hover: str
    border: str
    outline: str
    """Around fields."""
    text: str
    muted: str
    """Labels, units, secondary text."""
    disabled: str
    accent: str
    """Around what has the focus, and on what is chosen."""
    on_accent: str
    selection: str
    """The background of selected rows."""
    warning: str
    warning_ground: str
    missing: str
    """The colour of missing values in a picture; it is neutral, and in no colour map."""
    fill: str
    """The colour of numbers that are marked though nothing says that they are missing; it is in no colour map."""
    key: str
    """Names in JSON."""
    string: str
    number: str


LIGHT = Colours(
    name="light",
    window="#f3f5f7",
    surface="#ffffff",
    canvas="#e9ecf0",
    raised="#ffffff",
    hover="#e6eaef",
    border="#d3d9e0",
    outline="#7c8691",
    text="#1b232d",
    muted="#56626f",
    disabled="#a3adb8",
    accent="#0b6e80",
    on_accent="#ffffff",
    selection="#d3ebef",
    warning="#9a4a00",
    warning_ground="#fff3e0",
    missing="#c9b9a2",
    fill="#8fb3e8",
    key="#0b6e80",
    string="#3f6b1f",
    number="#8a3b9a",
)

DARK = Colours(
    name="dark",
    window="#191d23",
    surface="#1f242b",
    canvas="#12151a",
    raised="#2a3039",
    hover="#323a45",
    border="#363e49",
    outline="#717c8a",
    text="#e4e8ee",
    muted="#a6b1be",
    disabled="#5d6875",
    accent="#52bfd0",
    on_accent="#06252b",
    selection="#1f4750",
    warning="#f2b15c",
    warning_ground="#3a2d1a",
    missing="#5d5144",
    fill="#3f5f96",
    key="#6ccbd9",
    string="#a5cf84",
    number="#d6a2e2",
)
