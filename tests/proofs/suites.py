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

_FAULTS: Final = [
    Suite(
        name="faults-store",
        about="the library over a store that fails: errors, damaged, old and lost answers, odd listings, clock jumps",
        module="faults.stores",
        unit="operations",
        goal=700_000,
    ),
]

SUITES: Final[dict[str, Suite]] = {suite.name: suite for suite in (*_FUZZ, *_FAULTS)}
