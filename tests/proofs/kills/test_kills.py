"""Some kills of each kind: the short form of ``packaging/prove kills-…``."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.proofs.kills.trials import trial


@pytest.mark.parametrize(
    ("scenario", "kind", "seeds"),
    [
        ("stores", "local", range(0, 200, 67)),
        ("stores", "zip", range(0, 200, 67)),
        ("stores", "sqlite", range(0, 200, 101)),
        ("caches", "disk", [40, 130]),
        ("copies", "local", [150]),
        ("daemons", "local", [50]),
    ],
)
def test_a_killed_writer_leaves_old_or_new_values(scenario: str, kind: str, seeds: Sequence[int]) -> None:
    assert sum(trial(seed, scenario, kind) for seed in seeds) == len(seeds)
