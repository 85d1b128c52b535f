"""An empty hierarchy of each writable format."""

from __future__ import annotations

import pytest

import zarrcore
from tests.core.hierarchy.written import FORMATS
from zarrcore.stores import MemoryStore


@pytest.fixture(params=FORMATS)
def hierarchy(request: pytest.FixtureRequest) -> zarrcore.Hierarchy:
    return zarrcore.create(MemoryStore(), request.param)
