"""A few trials of each kind of fault: the short form of ``packaging/prove faults-…``."""

from __future__ import annotations

import pytest

from tests.proofs.faults import stores


@pytest.mark.parametrize("seed", range(3))
def test_the_library_over_a_store_that_fails(seed: int) -> None:
    assert stores.trial(seed) == stores.OPERATIONS
