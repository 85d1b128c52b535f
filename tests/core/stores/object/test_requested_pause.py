"""A service that throttles: requests of all kinds wait as long as it wishes. Where obstore hides its wish, it is asked once."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from tests.any_store import AnyStore, open_store
from tests.servers import FaultServer
from tests.waiting import recorded_pauses
from zarrcore.errors import UnreachableError

KEYS = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s"}


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses before repeats, which take no time."""
    slept = recorded_pauses(monkeypatch)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    return slept


@pytest.fixture
def store(faults: FaultServer) -> AnyStore:
    return open_store("s3://bucket", endpoint_url=faults.url, region="us-east-1", timeout_s=1000)


@pytest.mark.parametrize(
    ("ask", "is_asked"),
    [
        (lambda store: store.get("key") == b"1", False),
        (lambda store: store.get_with_stat("key")[0] == b"1", False),
        (lambda store: store.stat("key").size == 1, False),
        (lambda store: store.set("key", b"2"), True),
        (lambda store: store.set("key", b"2", if_absent=True), True),
    ],
    ids=["get", "get_with_stat", "stat", "set", "create"],
)
def test_requests_wait_as_long_as_the_service_asks(
    faults: FaultServer,
    store: AnyStore,
    pauses: list[float],
    ask: Callable[[AnyStore], object],
    is_asked: bool,
) -> None:
    faults.values["bucket/key"] = b"1"
    faults.headers["Retry-After"] = "100"
    answers = iter([503, 503, 429])

    class Throttles(dict[str, object]):
        def get(self, key: str, default: object = None) -> object:  # type: ignore[override]
            is_probe = faults.requests[-1][0] == "HEAD" and "X-Amz-Signature" in faults.requests[-1][1]
            return 503 if is_probe else next(answers, default)

    faults.faults = Throttles()  # type: ignore[assignment]
    assert ask(store)
    assert len(pauses) == 3
    assert all(50 < pause <= 100 + 2 for pause in pauses), (
        "less what has passed since it was asked, more what is random"
    )
    probes = [target for method, target, _ in faults.requests if method == "HEAD" and "Signature" in target]
    assert len(probes) == is_asked, "its answer counts for all requests until the pause is over"


def test_a_service_that_never_recovers_is_an_error(
    faults: FaultServer, pauses: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "monotonic", lambda: sum(pauses))
    faults.faults["bucket/key"] = 503
    with pytest.raises(UnreachableError, match="the server fails"):
        open_store("s3://bucket", endpoint_url=faults.url, region="us-east-1").get("key")
    assert 50 < sum(pauses) <= 60, "a minute by default"
