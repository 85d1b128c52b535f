"""Some steps of the model of the cache on disk: the short form of ``packaging/prove cache-model``."""

from __future__ import annotations

from tests.campaigns import ALL
from tests.proofs.models.cache import trial


def test_processes_that_share_a_cache_never_return_an_outdated_answer() -> None:
    assert trial(0, runs=2 if ALL else 1, steps=40, shrinks=False) > 0
