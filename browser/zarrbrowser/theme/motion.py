"""Whether the user has asked the system for less motion."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication


def is_reduced() -> bool:
    """Whether nothing should move that the user has not set in motion; no if this version of Qt does not know."""
    hints = QGuiApplication.styleHints()
    known = getattr(getattr(hints, "accessibility", lambda: None)(), "motionPreference", None)
    return known is not None and known().name == "ReducedMotion"
