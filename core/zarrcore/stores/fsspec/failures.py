"""What the exceptions of fsspec's file systems mean: each raises what the library beneath it does."""

from __future__ import annotations

import ftplib
import re
from collections.abc import Iterator
from typing import Final

from zarrcore.errors import AccessDeniedError, StoreError, StoreTimeoutError, UnreachableError
from zarrcore.stores.local.file_reading import file_failure
from zarrcore.stores.object.failures import without_secrets

_NO_SUCH_FILE: Final = re.compile(r"550 (?!.*(denied|permission|privilege))", re.IGNORECASE | re.DOTALL)
"""An FTP server's answer for a file that is not there; for one that may not be read the number is the same."""

_DENIED: Final = ("530", "532", "550")


def is_absent(error: BaseException) -> bool:
    """Whether nothing stands at a path. Some file systems say so of whatever goes wrong, but keep the cause."""
    if not isinstance(error, FileNotFoundError | NotADirectoryError | ftplib.error_perm):
        return False
    answer = next((cause for cause in _causes(error) if isinstance(cause, ftplib.Error)), None)
    return answer is None or _NO_SUCH_FILE.match(str(answer)) is not None


def fsspec_failure(error: BaseException, key: str | None, url: str, hint: str) -> StoreError:
    """The `StoreError` that says what a file system raised."""
    if isinstance(error, StoreError):
        return error
    kind, reason = _kind_and_reason(error, hint)
    if kind is None and isinstance(error, OSError) and error.errno:
        return file_failure(error, key, url)
    what = f"{key} in {url}" if key else url
    return (kind or StoreError)(f"{what}: {reason}", key=key or None, url=url)


def _kind_and_reason(error: BaseException, hint: str) -> tuple[type[StoreError] | None, str]:
    causes = [*_causes(error)]
    text = without_secrets(str(causes[-1]).partition("\n")[0])
    names = {base.__name__ for cause in causes for base in type(cause).__mro__}
    if any(isinstance(cause, ftplib.Error) and str(cause).startswith(_DENIED) for cause in causes):
        return AccessDeniedError, f"access is denied; {hint}"
    if names & {"PermissionError", "AuthenticationException", "LogonFailure"}:
        return AccessDeniedError, f"access is denied; {hint}"
    if names & {"TimeoutError", "FSTimeoutError"}:
        return StoreTimeoutError, "no answer within the time allowed (--timeout)"
    if names & {"gaierror"}:
        return UnreachableError, "no server is known by this name"
    if names & {"ConnectionRefusedError"}:
        return UnreachableError, "the server refuses the connection"
    if names & {"ConnectionError", "EOFError", "error_temp", "error_proto", "SSHException"}:
        return UnreachableError, "the connection broke"
    return None, text or type(causes[-1]).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and what it comes from."""
    following: BaseException | None = error
    while following is not None:
        yield following
        following = following.__cause__ or following.__context__
