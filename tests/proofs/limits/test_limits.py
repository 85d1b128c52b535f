"""Some limits: the short form of ``packaging/prove limits-…``."""

from __future__ import annotations

import os

import pytest

from tests.proofs.limits import control_group
from tests.proofs.limits.trials import LIMITS, trial


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount a file system")
@pytest.mark.parametrize(
    ("limit", "kind"),
    [
        ("disk", "zip"),
        ("inodes", "local"),
        ("descriptors", "local"),
        ("interrupts", "sqlite"),
        ("disk", "mount"),
    ],
)
def test_a_limit_does_no_harm(limit: str, kind: str) -> None:
    assert trial(LIMITS.index(limit), kind) > 0


def test_a_mount_lives_with_little_memory() -> None:
    if missing := control_group.missing():
        pytest.skip(missing)
    assert control_group.trial(0, "6") == 6
