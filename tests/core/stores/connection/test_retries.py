"""When a request is repeated, and after which pause."""

from __future__ import annotations

import time
from datetime import timedelta

import pytest

from zarrcore.stores import StoreOptions
from zarrcore.stores.connection.retries import Retries, retry_config


@pytest.fixture
def slept_s(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    slept: list[float] = []
    monkeypatch.setattr(time, "sleep", slept.append)
    return slept


def test_pauses_double_up_to_the_longest(slept_s: list[float]) -> None:
    retries = Retries(StoreOptions(retries=8, timeout_s=1000))
    while retries.wait():
        pass
    assert slept_s == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]


def test_a_longer_pause_that_the_server_asks_for_is_kept(slept_s: list[float]) -> None:
    retries = Retries(StoreOptions(retries=2, timeout_s=1000))
    assert retries.wait(7.0)
    assert retries.wait(0.0)
    assert slept_s == [7.0, 0.2]


def test_no_pause_goes_beyond_the_deadline(slept_s: list[float]) -> None:
    assert not Retries(StoreOptions(timeout_s=1.0)).wait(2.0)
    assert not Retries(StoreOptions(), give_up=time.monotonic()).wait()
    assert not Retries(StoreOptions(retries=0)).wait()
    assert slept_s == []


def test_obstore_repeats_with_the_same_numbers() -> None:
    config = retry_config(StoreOptions(retries=5, timeout_s=2.0))
    assert config["max_retries"] == 5
    assert config["retry_timeout"] == timedelta(seconds=2)
    assert config["backoff"]["init_backoff"] == timedelta(seconds=0.1)
    assert config["backoff"]["max_backoff"] == timedelta(seconds=2)
