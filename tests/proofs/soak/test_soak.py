"""A few seconds of ``packaging/prove soak`` and ``soak-window``, and what counts as growth."""

from __future__ import annotations

import pytest

from tests.proofs.soak import window_alone
from tests.proofs.soak.figures import growing
from tests.proofs.soak.run import trial
from tests.zfs.conftest import NO_FUSE


@pytest.mark.campaign
@pytest.mark.skipif(bool(NO_FUSE), reason=NO_FUSE or "-")
def test_a_mount_and_a_window_beside_a_store_that_changes() -> None:
    assert trial(0, "6") == 6


@pytest.mark.campaign
def test_a_window_over_ten_sources() -> None:
    assert window_alone.trial(0, "5") >= 100


def test_a_figure_that_grows_over_the_second_half_is_found() -> None:
    beginning = [{"mount MiB": 10.0 * n, "mount threads": 5.0} for n in range(10)]
    flat = [{"mount MiB": 100.0 + n % 3, "mount threads": 5.0} for n in range(30)]
    leak = [{"mount MiB": 100.0 + 3 * n, "mount threads": 5.0} for n in range(30)]
    assert growing(beginning + flat) == []
    assert growing(beginning + leak) == ["mount MiB grows from 144 to 174"]
    assert growing(flat[:3]) == [], "too few samples say nothing"
