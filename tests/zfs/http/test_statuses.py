"""The status of each error: only what does not exist is told as missing."""

from __future__ import annotations

import pytest

from zarrcore import errors
from zarrfs.http.statuses import status_of


def all_errors(kind: type[Exception] = errors.ZarrError) -> list[type[Exception]]:
    return [kind, *(below for each in kind.__subclasses__() for below in all_errors(each))]


def made(kind: type[Exception]) -> Exception:
    error = kind.__new__(kind)
    Exception.__init__(error, "text")
    return error


def test_no_failure_is_taken_for_a_missing_file() -> None:
    missing = (errors.NodeNotFoundError, errors.InvalidKeyError, errors.SelectionError)
    for kind in all_errors():
        told = status_of(made(kind))
        assert told is None or told[0] >= 500 or issubclass(kind, missing), kind
        assert told is None or told[0] != 403, kind


def lasting() -> errors.UnreachableError:
    error = errors.UnreachableError("the certificate has expired")
    error.may_pass = False
    return error


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.AccessDeniedError("x"), 502),
        (errors.StoreTimeoutError("x"), 504),
        (errors.ListingUnsupportedError("x"), 501),
        (errors.ChangedError("x"), 503),
        (errors.UnreachableError("x"), 503),
        (lasting(), 502),
        (MemoryError(), 503),
    ],
)
def test_a_failing_store_is_a_failing_gateway(error: Exception, status: int) -> None:
    told = status_of(error)
    assert told is not None
    assert told[0] == status


def test_what_is_unforeseen_is_not_in_the_table() -> None:
    assert status_of(ZeroDivisionError()) is None
    error = errors.StoreError("x")
    error.__cause__ = MemoryError()
    assert status_of(error) == status_of(MemoryError())
