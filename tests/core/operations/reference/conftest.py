"""A source for tests of references."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.core.operations.reference.records import Records
from zarrcore.stores import LocalStore, ReadableStore


@pytest.fixture
def records(tmp_path: Path) -> ReadableStore:
    (tmp_path / "records.bin").write_bytes(bytes(8) + np.arange(100, 150, dtype="<i4").tobytes())
    return Records(LocalStore(tmp_path), "records.bin", str(tmp_path / "records.bin"))
