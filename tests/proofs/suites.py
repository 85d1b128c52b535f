"""All suites, by name."""

from __future__ import annotations

from typing import Final

from tests.proofs.fuzz.target import target_names
from tests.proofs.mutation.subjects import SUBJECTS
from tests.proofs.oracles.peers import PEERS
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

_ORACLES: Final = [
    *(
        Suite(
            name=f"oracle-{name}",
            about=f"random arrays that {name} and zarrscope write in turns, read by both",
            module="oracles.exchange",
            unit="arrays",
            goal=2000,
            limit_s=300,
            words=(name,),
        )
        for name in PEERS
    ),
    Suite(
        name="oracle-strategies",
        about="arrays that zarr-python's own Hypothesis strategies draw, read by zarrscope",
        module="oracles.strategies",
        unit="arrays",
        goal=1000,
        limit_s=300,
    ),
]

_MUTATIONS: Final = [
    Suite(
        name=f"mutation-{name}",
        about=f"changes of {', '.join(path.rpartition('/')[2] for path in subject.sources)} that a test must notice",
        module="mutation.campaign",
        unit="mutants",
        goal=None,
        limit_s=1800,
        words=(name,),
    )
    for name, subject in SUBJECTS.items()
]

SUITES: Final[dict[str, Suite]] = {suite.name: suite for suite in [*_FUZZ, *_ORACLES, *_MUTATIONS]}
