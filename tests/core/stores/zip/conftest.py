"""Fixtures of the tests of zip files."""

from __future__ import annotations

import pytest

from zarrcore.stores.zip import changes as zip_changes


@pytest.fixture
def never_at_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write the directory after the first change and then only when a store is closed."""
    monkeypatch.setattr(zip_changes, "_REST", 1e9)
    monkeypatch.setattr(zip_changes, "_REST_MAX_S", 1e9)
