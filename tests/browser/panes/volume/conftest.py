"""Fixtures: a Volume tab without OpenGL."""

from __future__ import annotations

import pytest

from tests.browser.panes.volume.panes import FakeRenderer
from zarrbrowser.panes.volume import renderer


@pytest.fixture
def fake_renderer(monkeypatch: pytest.MonkeyPatch) -> type[FakeRenderer]:
    """Tabs made from now on draw nothing."""
    monkeypatch.setattr(renderer, "VolumeRenderer", FakeRenderer)
    return FakeRenderer
