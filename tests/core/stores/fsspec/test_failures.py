"""Exceptions of fsspec's file systems, as absent keys or as errors of stores."""

from __future__ import annotations

import errno
import ftplib
import socket
from unittest.mock import Mock

import aiohttp
import pytest

from zarrcore.errors import AccessDeniedError, StoreError, StoreFullError, StoreTimeoutError, UnreachableError
from zarrcore.stores.fsspec.failures import fsspec_failure, is_absent


def caused(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


def answered(status: int) -> Exception:
    return aiohttp.ClientResponseError(Mock(), (), status=status)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (FileNotFoundError("a"), True),
        (NotADirectoryError("a"), True),
        (ftplib.error_perm("550 No such file or directory."), True),
        (caused(FileNotFoundError("a"), ftplib.error_perm("550 No such file.")), True),
        (ftplib.error_perm("550 Permission denied."), False),
        (ftplib.error_perm("550 Not enough privileges."), False),
        (ftplib.error_perm("530 Not logged in."), False),
        (caused(FileNotFoundError("a"), ftplib.error_temp("421 Too many connections.")), False),
        (caused(FileNotFoundError("a"), ftplib.error_perm("550 PERMISSION DENIED")), False),
        (caused(FileNotFoundError("a"), ConnectionRefusedError("a")), False),
        (caused(FileNotFoundError("a"), TimeoutError("a")), False),
        (caused(FileNotFoundError("a"), aiohttp.ServerDisconnectedError("a")), False),
        (caused(FileNotFoundError("a"), answered(404)), True),
        (caused(FileNotFoundError("a"), answered(403)), False),
        (caused(FileNotFoundError("a"), answered(503)), False),
        (PermissionError("a"), False),
        (OSError("a"), False),
    ],
)
def test_only_a_missing_file_is_absent(error: BaseException, expected: bool) -> None:
    assert is_absent(error) is expected


class LogonFailure(Exception):
    """An exception of a library that is not installed here, known by its name."""


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (ftplib.error_perm("530 Login incorrect."), AccessDeniedError, "access is denied; log in"),
        (LogonFailure("geheim"), AccessDeniedError, "access is denied; log in"),
        (caused(OSError("a"), PermissionError("b")), AccessDeniedError, "access is denied; log in"),
        (TimeoutError("timed out"), StoreTimeoutError, "no answer within the time allowed (--timeout)"),
        (socket.gaierror(-2, "unknown"), UnreachableError, "the server's name cannot be resolved"),
        (ConnectionRefusedError(111, "refused"), UnreachableError, "the server refuses the connection"),
        (BrokenPipeError(), UnreachableError, "the connection broke"),
        (EOFError(), UnreachableError, "the connection broke"),
        (ftplib.error_temp("421 Timeout."), UnreachableError, "the connection broke"),
        (caused(FileNotFoundError("a"), answered(503)), UnreachableError, "the server fails (503)"),
        (caused(FileNotFoundError("a"), answered(403)), AccessDeniedError, "access is denied; log in"),
        (OSError(errno.ENOSPC, "full"), StoreFullError, "the disk is full"),
        (ValueError("odd\nmore"), StoreError, "odd"),
        (ValueError(), StoreError, "ValueError"),
    ],
)
def test_an_exception_becomes_an_error_with_the_key_and_the_location(
    error: BaseException, kind: type[StoreError], said: str
) -> None:
    failure = fsspec_failure(error, "größe/0", "ftp://host/x", "log in")
    assert type(failure) is kind
    assert str(failure) == f"größe/0 in ftp://host/x: {said}"
    assert (failure.key, failure.url) == ("größe/0", "ftp://host/x")


def test_the_first_cause_is_shown_without_secrets() -> None:
    error = caused(RuntimeError("outer"), ValueError("cannot read sftp://me:geheim@host/x?sig=geheim"))
    failure = fsspec_failure(error, None, "sftp://host", "log in")
    assert str(failure) == "sftp://host: cannot read sftp://host/x"


def test_an_error_of_stores_stays_as_it_is() -> None:
    error = UnreachableError("gone")
    assert fsspec_failure(error, "a", "ftp://host", "log in") is error
