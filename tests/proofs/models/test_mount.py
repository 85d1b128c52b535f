"""Some steps of the model of a mount: the short form of ``packaging/prove mount-model-…``."""

from __future__ import annotations

import pytest

from tests.proofs.models.mount import VARIANTS, trial
from tests.zfs.conftest import NO_FUSE


@pytest.mark.skipif(bool(NO_FUSE), reason=NO_FUSE or "-")
@pytest.mark.parametrize(
    ("kind", "variant"),
    [("local", ("0", False)), ("memory", ("forever", True)), ("s3", ("60", True)), ("zip", ("0", True))],
    ids=["local read-only", "memory", "s3", "zip"],
)
def test_a_mount_agrees_with_a_plain_directory(kind: str, variant: tuple[str, bool]) -> None:
    assert trial(VARIANTS.index(variant), kind, runs=2, steps=40, shrinks=False) > 0
