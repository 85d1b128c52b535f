"""The arrays and the counting store of the tests of arrays, and time for trees."""

from __future__ import annotations

import math

import pytest

from tests.core.array.conftest import store, written
from zarrcore.notebook import tree

__all__ = ["store", "written"]


@pytest.fixture(autouse=True)
def _whole_trees(monkeypatch: pytest.MonkeyPatch) -> None:
    """No tree ends because a busy machine takes long for it."""
    monkeypatch.setattr(tree, "_BUDGET_S", math.inf)
