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
        name="faults-window",
        about="the window over a store that fails",
        module="faults.windows",
        unit="actions",
        goal=100_000,
        limit_s=200,
    ),
    Suite(
        name="faults-mount",
        about="a mount of an S3 service behind a proxy that spoils its answers",
        module="faults.mounts",
        unit="operations",
        goal=100_000,
        limit_s=600,
    ),
    Suite(
        name="faults-store",
        about="the library over a store that fails: errors, damaged, old and lost answers, odd listings, clock jumps",
        module="faults.stores",
        unit="operations",
        goal=700_000,
    ),
    *(
        Suite(
            name=f"faults-wire-{server}",
            about=f"the library behind a proxy that spoils the answers of {title}",
            module="faults.wire",
            unit="operations",
            goal=100_000,
            limit_s=300,
            words=(server,),
        )
        for server, title in (("s3", "an S3 service"), ("http", "a web server"))
    ),
]

_KILLS: Final = [
    Suite(
        name=f"kills-{name}-{kind}",
        about=f"{title} ({kind}), killed at each call that changes a file",
        module="kills.trials",
        unit="kills",
        goal=4000,
        words=(scenario, kind),
    )
    for name, scenario, title, kinds in (
        ("store", "stores", "a writer of a store", ("local", "zip", "sqlite")),
        ("cache", "caches", "a writer of the cache", ("disk",)),
        ("copy", "copies", "zarrscope copy to a store", ("local", "zip", "sqlite")),
        ("daemon", "daemons", "the daemon of a mount", ("local", "zip", "sqlite")),
    )
    for kind in kinds
]

_LIMITS: Final = [
    Suite(
        name=f"limits-{kind}",
        about=f"{title} at the limits of disk, file size, descriptors and memory, interrupted and stopped",
        module="limits.trials",
        unit="steps",
        goal=10_000,
        limit_s=200,
        words=(kind,),
    )
    for kind, title in (
        ("local", "a writer of a directory"),
        ("zip", "a writer of a zip file"),
        ("sqlite", "a writer of SQLite"),
        ("mount", "the daemon of a mount"),
    )
]

SUITES: Final[dict[str, Suite]] = {suite.name: suite for suite in (*_FUZZ, *_FAULTS, *_KILLS, *_LIMITS)}
