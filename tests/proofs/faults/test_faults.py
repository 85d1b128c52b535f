"""A few trials of each kind of fault: the short form of ``packaging/prove faults-…``, with seeds that give some troubles."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.campaigns import ALL
from tests.proofs.faults import hours, lies, mounts, stores, wire
from tests.proofs.suites import SUITES
from tests.proofs.trials import Worker


@pytest.mark.parametrize("seed", range(1 + ALL))
def test_the_library_over_a_store_that_fails(seed: int) -> None:
    operations = stores.OPERATIONS if ALL else 150
    assert stores.trial(seed, operations) == operations


@pytest.mark.parametrize(("server", "operations"), [("s3", 4), ("http", 24)])
def test_the_library_behind_a_proxy_that_spoils_answers(server: str, operations: int) -> None:
    assert wire.trial(2, server, operations, 2) == 2 * operations


def test_a_mount_behind_a_proxy_that_spoils_answers() -> None:
    assert mounts.trial(2, 6, 2) == 2 * 6


def test_the_window_over_a_store_that_fails() -> None:
    """In a process of its own: it watches what would end the program, and Qt's messages."""
    with Worker(replace(SUITES["faults-window"], words=("25",))) as worker:
        assert worker.run(1) == 25


_SAMPLE = [
    ("s3", "library", "expired_command"),
    ("https", "with_xarray", "restart"),
    ("s3", "copy", "overloaded"),
    ("s3", "mount_arrays", "slow_down"),
]


@pytest.mark.parametrize(
    ("scheme", "reader", "fault"),
    [pytest.param(*case, marks=() if case in _SAMPLE else pytest.mark.campaign) for case in hours.CASES],
)
def test_a_bad_hour(scheme: str, reader: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The window needs a process of its own, as above."""
    if reader != "window":
        if not ALL:
            monkeypatch.setattr(hours, "ELEMENTS", hours.ELEMENTS[:64, :64])
        hours.read(scheme, reader, fault, 1, 6.0 if ALL else 0.5)
        return
    with Worker(SUITES["faults-hours"]) as worker:
        assert worker.run(hours.CASES.index((scheme, reader, fault))) == 1


@pytest.mark.timeout(1200)
@pytest.mark.parametrize(
    ("scheme", "cases"),
    [
        ("s3", lies.LASTING),
        pytest.param("https", lies.LASTING, marks=pytest.mark.campaign),
        pytest.param("s3", lies.THROUGH, marks=pytest.mark.campaign),
        pytest.param("https", lies.THROUGH, marks=pytest.mark.campaign),
    ],
    ids=["s3-lasting", "https-lasting", "s3-through", "https-through"],
)
def test_readers_that_stay_open(scheme: str, cases: list[lies.Case]) -> None:
    lies.live_through(scheme, cases, 1, 2.0 if ALL else 0.5)
