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
        goal=152,
        limit_s=3600,
        needs="xfstests-check",
    ),
]

_SOAK: Final = [
    Suite(
        name="soak",
        about="a mount with 20 random users and a window, beside a store that changes; what they take must not grow",
        module="soak.run",
        unit="seconds",
        goal=8 * 3600,
        limit_s=600,
        lasts=True,
    ),
    Suite(
        name="soak-window",
        about="random clicks, keys and wheels in a window over ten sources; what it takes must not grow",
        module="soak.window_alone",
        unit="actions",
        goal=10_000,
        limit_s=600,
        lasts=True,
    ),
]

_FAULTS: Final = [
    Suite(
        name="faults-hours",
        about="readers of an S3 service and a web server during faults that last for up to 20 s, or expired credentials",
        module="faults.hours",
        unit="reads",
        goal=1000,
        limit_s=300,
    ),
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

_IMPORTS: Final = [
    Suite(
        name="imports",
        about="a new process whose eight threads open all kinds of source at once",
        module="imports",
        unit="processes",
        goal=1000,
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
] + [
    Suite(
        name="limits-control-group",
        about="the daemon of a mount in a control group with little memory, as in a container; as root",
        module="limits.control_group",
        unit="steps",
        goal=10_000,
        limit_s=200,
    )
]

_PACKAGES: Final = [
    Suite(
        name="audit-code",
        about="bandit over the packages",
        module="packages.audit",
        unit="files",
        goal=None,
        words=("code",),
        needs="bandit",
    ),
    Suite(
        name="audit-packages",
        about="pip-audit over the installed packages",
        module="packages.audit",
        unit="packages",
        goal=None,
        limit_s=600,
        words=("packages",),
        needs="pip-audit",
    ),
    Suite(
        name="lowest-versions",
        about="the tests of library, mount and window with the lowest versions that pyproject.toml allows",
        module="packages.lowest",
        unit="tests",
        goal=None,
        limit_s=7200,
        words=("tests/core", "tests/zfs", "tests/browser"),
        needs="uv",
    ),
]

SUITES: Final[dict[str, Suite]] = {
    suite.name: suite
    for suite in (
        *_FUZZ,
        *_ORACLES,
        *_MUTATIONS,
        *_MODELS,
        *_HARNESSES,
        *_SOAK,
        *_FAULTS,
        *_IMPORTS,
        *_KILLS,
        *_LIMITS,
        *_PACKAGES,
    )
}
