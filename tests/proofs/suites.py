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

_MODELS: Final = [
    Suite(
        name=f"mount-model-{kind}",
        about=f"random steps in a mount of {what} and in a plain directory",
        module="models.mount",
        unit="steps",
        goal=100_000,
        limit_s=900,
        words=(kind,),
    )
    for kind, what in (("local", "a directory"), ("memory", "memory"), ("s3", "S3"), ("zip", "a zip file"))
] + [
    Suite(
        name="hierarchy-model",
        about="random steps of two writers in a hierarchy and in a dictionary of arrays",
        module="models.hierarchy",
        unit="steps",
        goal=100_000,
        limit_s=600,
    ),
    Suite(
        name="cache-model",
        about="random steps of processes that share a cache on disk and are killed",
        module="models.cache",
        unit="steps",
        goal=100_000,
        limit_s=600,
    ),
]

_HARNESSES: Final = [
    Suite(
        name="harness-fsx",
        about="fsx of other projects on files of keys/ and arrays/, on each kind of store",
        module="harnesses.fsx",
        unit="operations",
        goal=1_000_000,
        limit_s=900,
        needs="fsx",
    ),
    Suite(
        name="harness-fsstress",
        about="fsstress of other projects on keys/, on each kind of store",
        module="harnesses.fsstress",
        unit="operations",
        goal=1_000_000,
        limit_s=900,
        needs="fsstress",
    ),
    Suite(
        name="harness-pjdfstest",
        about="pjdfstest on keys/; what fails by design is a list",
        module="harnesses.pjdfstest",
        unit="assertions",
        goal=35_000,
        limit_s=3600,
        needs="pjdfstest",
    ),
    Suite(
        name="harness-xfstests",
        about="tests of the generic group of xfstests on keys/",
        module="harnesses.xfstests",
        unit="tests",
        goal=60,
        limit_s=3600,
        needs="xfstests-check",
    ),
]

_SOAK: Final = Suite(
    name="soak",
    about="a mount with 20 random users and a window, beside a store that changes; what they take must not grow",
    module="soak.run",
    unit="seconds",
    goal=8 * 3600,
    limit_s=600,
    lasts=True,
)

SUITES: Final[dict[str, Suite]] = {suite.name: suite for suite in (*_FUZZ, *_MODELS, *_HARNESSES, _SOAK)}
