"""The meaning of exceptions of fsspec's file systems, which raise the errors of the libraries they use."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from zarrcore.errors import AccessDeniedError, StoreError, StoreTimeoutError, UnreachableError
from zarrcore.stores.connection.failures import Failure, without_secrets
from zarrcore.stores.local.file_reading import file_failure

_NO_SUCH_FILE: Final = re.compile(r"550 (?!.*(denied|permission|privilege))", re.IGNORECASE | re.DOTALL)
"""An FTP server's answer for a missing file. The code for a file without read permission is the same."""

_DENIED: Final = ("530", "532", "550")
_SILENT: Final = {"TimeoutError", "FSTimeoutError"}
_BROKEN: Final = {
    *("ConnectionError", "EOFError", "error_temp", "error_proto", "SSHException"),
    *("gaierror", "ClientConnectionError", "ClientPayloadError"),
}
"""Names of exceptions without an answer."""
_GONE: Final = {404, 410}
"""The HTTP statuses of what does not exist."""
_REFUSED: Final = {401, 403}


def is_absent(error: BaseException) -> bool:
    """Whether a path does not exist. Some file systems report this for any failure, but keep the cause."""
    import ftplib  # late: it imports ssl

    if not isinstance(error, FileNotFoundError | NotADirectoryError | ftplib.error_perm):
        return False
    causes = [*_causes(error)]
    if _names(causes) & (_SILENT | _BROKEN) or not _statuses(causes) <= _GONE:
        return False
    answer = next((cause for cause in causes if isinstance(cause, ftplib.Error)), None)
    return answer is None or _NO_SUCH_FILE.match(str(answer)) is not None


def _names(causes: list[BaseException]) -> set[str]:
    """The names of the classes of exceptions: their libraries may not be installed."""
    return {base.__name__ for cause in causes for base in type(cause).__mro__}


def _statuses(causes: list[BaseException]) -> set[int]:
    """The HTTP statuses with which a server answered, as aiohttp has them."""
    return {
        cause.status  # type: ignore[attr-defined]
        for cause in causes
        if type(cause).__name__ == "ClientResponseError"
    }


def fsspec_failure(error: BaseException, key: str | None, url: str, hint: str) -> StoreError:
    """The `StoreError` for an exception of a file system."""
    if isinstance(error, StoreError):
        return error
    kind, reason = _kind_and_reason(error, hint)
    if kind is None and isinstance(error, OSError) and error.errno:
        return file_failure(error, key, url)
    what = f"{key} in {url}" if key else url
    return (kind or StoreError)(f"{what}: {reason}", key=key or None, url=url)


def _kind_and_reason(error: BaseException, hint: str) -> tuple[type[StoreError] | None, str]:
    import ftplib  # late: it imports ssl

    causes = [*_causes(error)]
    text = without_secrets(str(causes[-1]).partition("\n")[0])
    names, statuses = _names(causes), _statuses(causes)
    if any(isinstance(cause, ftplib.Error) and str(cause).startswith(_DENIED) for cause in causes):
        return AccessDeniedError, f"access is denied; {hint}"
    if names & {"PermissionError", "AuthenticationException", "LogonFailure"} or statuses & _REFUSED:
        return AccessDeniedError, f"access is denied; {hint}"
    if names & _SILENT:
        return StoreTimeoutError, "no answer within the time allowed (--timeout)"
    if names & {"gaierror"}:
        return UnreachableError, "the server's name cannot be resolved"
    if names & {"ConnectionRefusedError"}:
        return UnreachableError, "the server refuses the connection"
    if names & _BROKEN:
        return UnreachableError, "the connection broke"
    if any(Failure.of_status(status).passing for status in statuses):
        return UnreachableError, f"the server fails ({max(statuses)})"
    return None, text or type(causes[-1]).__name__


def _causes(error: BaseException) -> Iterator[BaseException]:
    """An error and its causes."""
    following: BaseException | None = error
    while following is not None:
        yield following
        following = following.__cause__ or following.__context__
