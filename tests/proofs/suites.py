"""All suites, by name."""

from __future__ import annotations

from typing import Final

from tests.proofs.fuzz.target import target_names
from tests.proofs.suite import Suite

_FUZZ: Final = [
    Suite(
        name=f"fuzz-{name}",
        about=f"random input for the parser of {name.replace('-', ' ')}, guided by coverage",
        module="fuzz.campaign",
        unit="inputs",
        goal=1_000_000,
        limit_s=900,
        words=(name,),
    )
    for name in target_names()
]

SUITES: Final[dict[str, Suite]] = {suite.name: suite for suite in _FUZZ}
