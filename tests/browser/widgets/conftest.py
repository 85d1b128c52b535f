"""Widgets need an application."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True)
def _application(application: QApplication) -> None:
    """A themed application for each test."""
