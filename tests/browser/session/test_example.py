"""The example is made once, and only as a whole."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import zarrcore as zc
from zarrbrowser.session import example


def test_the_example_is_a_brain_with_an_active_part(tmp_path: Path) -> None:
    path = example.write_example(tmp_path / "cache")
    hierarchy = zc.open_hierarchy(path)
    assert hierarchy["functional"].dimension_names == ("time", "z", "y", "x")
    signal = hierarchy["derived/mean_signal"][...]
    assert np.ptp(signal) > 0.05 * signal.mean()
    before = Path(path).stat().st_mtime_ns
    assert example.write_example(tmp_path / "cache") == path
    assert Path(path).stat().st_mtime_ns == before


def test_an_example_that_could_not_be_written_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_shape: object) -> None:
        raise MemoryError

    monkeypatch.setattr(example, "_phantom", fail)
    with pytest.raises(MemoryError):
        example.write_example(tmp_path)
    assert [*tmp_path.iterdir()] == []
