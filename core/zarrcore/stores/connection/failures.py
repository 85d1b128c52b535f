"""The meaning of obstore's exceptions, as zarrcore's errors and messages.

obstore distinguishes "not found", "denied" and little else. Timeouts, refusals, server errors and truncated bodies
are all one class, and only the text says which. The text also contains the request's URL, whose query may be a
signature. So text is passed on only after cleaning, and errors are raised without their cause.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final

from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    InvalidKeyError,
    KeyTooLongError,
    StoreError,
    StoreFullError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.late_imports import imported
from zarrcore.stores.connection import service_codes
from zarrcore.stores.connection.retries import MINIMUM_RATE, YEAR_S

_MOVED: Final = (301, 302, 307, 308)
_STATUS: Final = re.compile(r"non-2xx status code: (\d{3})")
_CODE: Final = re.compile(r"<Code>(\w{1,64})</Code>")
_ERASING: Final = re.compile(r"request failed for key .*\(code: (?:(\d{3})|(\w{1,64}))\)")
"""How obstore says that one of several keys was not erased: by Azure's status, or the code of S3."""
_REGION: Final = re.compile(r"<Region>([\w-]{1,32})</Region>")
_KIND: Final = re.compile(r"HttpError \{\s*kind: (\w+)")
_URL: Final = re.compile(r"(\b\w+://)(?:[^\s/?#]*@)?([^\s?#]*)\S*")
_ADDRESS: Final = re.compile(r"(\w+://)?(?:[^\s/?#]*@)?([^\s?#@]*)(?:[?#][^@]*)?")
_METADATA_ADDRESSES: Final = ("169.254.169.254", "metadata.google.internal", "fd00:ec2::254", "169.254.170.2")

_NO_TRUST: Final = "the server's certificate is not trusted (--ca-bundle adds certificates to trust)"
_OWN_AUTHORITY: Final = (
    "the server's certificate is not trusted, because it is its own authority (CA:TRUE); have an authority sign it, "
    "or make it with CA:FALSE, and name the authority or the certificate with --ca-bundle"
)
_OTHER_NAME: Final = "the server's certificate is for another name than the one in the URL"
_EXPIRED: Final = "the server's certificate has expired"
_NOT_YET: Final = "the server's certificate is not valid yet, or this machine's clock is behind"
_MALFORMED: Final = "the server's certificate, or that of its authority, is malformed"
_NO_TLS: Final = "the server does not speak TLS (try http:// for https://)"
_ONLY_TLS: Final = "the server speaks only TLS (try https:// for http://)"
_CIRCLES: Final = "the server redirects in circles"
_PROXY_LOGIN: Final = "the proxy requires a login, such as that in http://USER:PASSWORD@PROXY:PORT"
_PROXY_REFUSES: Final = "the proxy does not connect to the server"
_NO_NAME: Final = "the server's name cannot be resolved"
_REFUSED: Final = "the server refuses the connection"
_ELSEWHERE: Final = "the bucket is in {region}; name it with --region"
_NO_ANSWER: Final = "no answer within the time allowed (--timeout)"
_SLOW: Final = f"less than {MINIMUM_RATE} bytes per second arrive (--timeout)"
_TOO_MANY: Final = "the server asks for fewer requests{status}{efforts}; try again later"
_NO_ROOM: Final = "the store is full, or over its quota{status}"
_INVALID_KEYS: Final = ("ValueError", "UnicodeEncodeError", "InvalidPathError", "TypeError")
_UNREACHED: Final = ("Connect", "Request", "Unknown")

_TROUBLES: Final = {
    # of obstore and pyreqwest
    "certificate not valid for name": _OTHER_NAME,
    "certificate expired": _EXPIRED,
    "certificate not valid yet": _NOT_YET,
    "NotValidForName": _OTHER_NAME,
    "ExpiredContext": _EXPIRED,
    "NotValidYet": _NOT_YET,
    "CaUsedAsEndEntity": _OWN_AUTHORITY,
    "InvalidCertificate": _NO_TRUST,
    "invalid peer certificate": _NO_TRUST,
    "InvalidContentType": _NO_TLS,
    "error following redirect": _CIRCLES,
    "ProxyAuthRequired": _PROXY_LOGIN,
    "proxy authorization required": _PROXY_LOGIN,
    "TunnelUnsuccessful": _PROXY_REFUSES,
    "tunnel error: unsuccessful": _PROXY_REFUSES,
    "dns error": _NO_NAME,
    "ConnectionRefused": _REFUSED,
    # of nginx, Go and Apache, in the body of an answer with status 400
    "plain HTTP request was sent to HTTPS port": _ONLY_TLS,
    "HTTP request to an HTTPS server": _ONLY_TLS,
    "speaking plain HTTP to an SSL-enabled server": _ONLY_TLS,
    # of httpx, that is, of OpenSSL and the C library
    "certificate is not valid for": _OTHER_NAME,
    "certificate has expired": _EXPIRED,
    "certificate is not yet valid": _NOT_YET,
    "self-signed certificate": _NO_TRUST,
    "unable to get": _NO_TRUST,
    "unable to verify": _NO_TRUST,
    "CERTIFICATE_VERIFY_FAILED": _MALFORMED,
    "Exceeded maximum allowed redirects": _CIRCLES,
    "407 Proxy Authentication Required": _PROXY_LOGIN,
    "WRONG_VERSION_NUMBER": _NO_TLS,
    "RECORD_LAYER_FAILURE": _NO_TLS,
    "Name or service not known": _NO_NAME,
    "Connection refused": _REFUSED,
}
"""Parts of exception texts and the reason why there was no connection; the first match counts."""

_CERTIFICATES: Final = (_NO_TRUST, _OWN_AUTHORITY, _OTHER_NAME, _EXPIRED, _NOT_YET, _MALFORMED)
_BROKEN_RULE: Final = re.compile(r"certificate verify failed: ([^(\n]*[^(\n ])")
"""OpenSSL's name of the broken rule; from Python 3.13 on, all rules of RFC 5280 apply."""

_LASTING: Final = (*_CERTIFICATES, _NO_TLS, _CIRCLES, _PROXY_LOGIN)
"""Problems that a repeat does not solve."""

_SILENCE: Final = ("Timeout", "Slow")
"""Kinds of failure that have taken the time that a request has."""


def request_errors() -> tuple[type[Exception], ...]:
    """The classes that obstore, if it is used, and `Reader` raise; evaluated only after an exception."""
    known = (OSError, ValueError, RequestFailedError)
    if "obstore" not in sys.modules:
        return known
    imported("obstore")
    from obstore.exceptions import BaseError

    return (BaseError, *known)


class RequestFailedError(Exception):
    """A request of our own failed. Stores raise the `StoreError` that its failure means.

    Attributes:
        failure: what failed.
    """

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Failure:
    """One failed request."""

    status: int
    """The HTTP status, or 0 if there was no answer."""
    code: str
    """The service's own error code, for example ``NoSuchKey``, or ""."""
    kind: str
    """The failure below HTTP: ``Timeout``, ``Slow``, ``Connect``, ``Request``, ``Interrupted``, ``Decode``, or ""."""
    name: str
    """obstore's exception class."""
    text: str
    """The first line of its text, without possible secrets."""
    no_credentials: bool = False
    """Whether it failed while asking the cloud's metadata address for credentials."""
    region: str = ""
    """The region of the bucket, if the service reports it."""
    trouble: str = ""
    """Why there was no connection, if the text says so."""
    retry_after_s: float | None = None
    """The pause that the service asks for before a repeat; None if that is not known: obstore does not show it."""
    repeats: int | None = None
    """How often the request was repeated; None if that is not known."""
    date: str = ""
    """When the service answered, as its header has it; obstore does not show it."""

    @classmethod
    def of(cls, error: Exception) -> Failure:
        """The failure that an exception of obstore or `Reader` describes."""
        if isinstance(error, RequestFailedError):
            return error.failure
        text = str(error)
        status, code, kind = _STATUS.search(text), _CODE.search(text), _KIND.search(text)
        if erasing := _ERASING.search(text):
            status, code = (erasing if erasing[1] else None), (erasing if erasing[2] else None)
        return cls(
            status=int(status.group(1)) if status else 0,
            code=code[code.lastindex or 1]
            if code
            else next((sign for sign in service_codes.WITHOUT_KEYS if sign in text), ""),
            kind=kind.group(1) if kind else "",
            name=type(error).__name__,
            text=without_secrets(text.partition("\n")[0]),
            region=region.group(1) if (region := _REGION.search(text)) else "",
            no_credentials=any(address in text for address in _METADATA_ADDRESSES),
            trouble=trouble_in(text),
        )

    @classmethod
    def of_status(cls, status: int, retry_after_s: float | None = None) -> Failure:
        """An answer with an HTTP error status."""
        return cls(status, "", "", "", "", retry_after_s=retry_after_s)

    @classmethod
    def of_refusal(cls, status: int, reason: str, retry_after_s: float, date: str = "") -> Failure:
        """An answer with an HTTP error status, whose body gives the service's reason in XML."""
        code, region = _CODE.search(reason), _REGION.search(reason)
        trouble = trouble_in(reason) if status == HTTPStatus.BAD_REQUEST else ""
        return cls(
            status,
            code.group(1) if code else "",
            "",
            "",
            "",
            region=region.group(1) if region else "",
            trouble=trouble if trouble == _ONLY_TLS else "",
            retry_after_s=retry_after_s,
            date=date,
        )

    @classmethod
    def of_kind(cls, kind: str, text: str = "", trouble: str = "") -> Failure:
        """A request without an answer."""
        return cls(0, "", kind, "", text, trouble=trouble)

    @property
    def passing(self) -> bool:
        """Whether the same request may succeed in a repeat."""
        if self.trouble.startswith(_LASTING) or self.kind in _SILENCE:
            return False
        is_passing = self.status in (408, 429, 500) or self.status in range(502, 505)
        return is_passing or self.code in service_codes.PASSING or bool(self.kind)

    @property
    def has_no_server(self) -> bool:
        """Whether the address has no server: its name is unknown, or it refuses connections."""
        return self.trouble in (_NO_NAME, _REFUSED)

    @property
    def untrusted(self) -> bool:
        """Whether the server's certificate is not trusted."""
        return self.trouble in (_NO_TRUST, _OWN_AUTHORITY)

    @property
    def no_bucket(self) -> bool:
        """Whether the bucket or container does not exist."""
        return self.code in service_codes.NO_BUCKET

    @property
    def absent(self) -> bool:
        """Whether the key does not exist, but the store does."""
        return not self.no_bucket and (self.name == "FileNotFoundError" or self.status in (404, 410))

    @property
    def exists(self) -> bool:
        """Whether there already was a value that must not be replaced."""
        known = self.name in ("AlreadyExistsError", "PreconditionError") or self.status in (409, 412)
        tells_nothing = self.code in service_codes.OVERTAKEN or self.code in service_codes.NO_PLACE
        return known and not tells_nothing and not self.denied

    @property
    def denied(self) -> bool:
        """Whether the service refused."""
        refusals = ("PermissionDeniedError", "UnauthenticatedError")
        return self.status in (401, 403) or self.code in service_codes.DENIED or self.name in refusals

    @property
    def may_mean_absent(self) -> bool:
        """Whether the service forbids without another reason, as some do for keys that do not exist."""
        return self.status == 403 and self.code in ("", service_codes.FORBIDDEN)

    @property
    def outdated(self) -> bool:
        """Whether the credentials have expired or are not valid any more: there may be newer ones."""
        return self.code in service_codes.EXPIRED or self.code in service_codes.INVALID_KEYS

    @property
    def past_end(self) -> bool:
        """Whether the requested range begins past the end of the value, according to the server or obstore."""
        return self.status == 416 or "Wanted range starting at" in self.text

    @property
    def range_ignored(self) -> bool:
        """Whether the server answered a range request with the whole value."""
        return self.name == "NotSupportedError" or "non-partial response" in self.text

    @property
    def broke_off(self) -> bool:
        """Whether the answer ended early, or is not the part that was requested."""
        return self.kind in ("Interrupted", "Decode") or "body error" in self.text or self.range_ignored

    @property
    def not_parsed(self) -> bool:
        """Whether obstore did not understand the answer: another part, an unusual header, not XML."""
        return self.name == "GenericError" and not self.status and not self.kind

    @property
    def no_length(self) -> bool:
        """Whether the server did not announce the length of its answer."""
        return "Content-Length" in self.text or "content length" in self.text.lower()

    @property
    def wrong_region(self) -> bool:
        """Whether the bucket is in another region than the requested one."""
        elsewhere = self.code == "AuthorizationHeaderMalformed" and self.region
        return self.redirected or bool(elsewhere) or self.code in service_codes.WRONG_REGION

    @property
    def redirected(self) -> bool:
        """Whether the server redirects without an address."""
        return "redirect without LOCATION" in self.text or self.status in _MOVED

    def error(
        self, what: str, key: str | None, url: str, *, service: str, hint: str, surroundings: str = ""
    ) -> StoreError:
        """The error to raise.

        Args:
            what: the value, with its store.
            key: of the value.
            url: of the store.
            service: its name.
            hint: what to try when access is denied.
            surroundings: what the environment decides of where requests go, and the user may not know.
        """
        kind, reason = self._kind_and_reason(service, hint)
        if surroundings and (self.status == 407 or (not self.status and self.kind)):
            reason = f"{reason}; {surroundings}"
        if kind is InvalidKeyError and key is None:
            kind, reason = StoreError, "its address, or an option, cannot be used"
        if self.no_bucket:
            what, key = url, None  # whichever key was requested first
        error = kind(f"{what}: {reason}", key=key, url=url)
        if isinstance(error, UnreachableError):
            error.retry_after_s = self.retry_after_s or None
            error.may_pass = self.passing
        return error

    def _kind_and_reason(self, service: str, hint: str) -> tuple[type[StoreError], str]:
        kind, reason = next(
            (kind, reason)
            for holds, kind, reason in _MEANINGS
            if holds(self) and (reason is not _ELSEWHERE or service == "S3")
        )
        words = {"service": service, "code": self.code, "text": self.text}
        words["status"] = self._status
        words["region"] = f"the region {self.region}" if self.region else "another region"
        words["denial"] = service_codes.DENIED.get(self.code, "access is denied")
        words["hint"] = service_codes.REMEDIES.get(self.code, hint)
        words["efforts"] = self._efforts
        words["trouble"] = self.trouble or "the server cannot be reached"
        return kind, reason.format_map(words)

    @property
    def _efforts(self) -> str:
        """How long the service asks to wait, and how often the request was repeated."""
        asked = ""
        if self.retry_after_s:
            is_long = self.retry_after_s >= YEAR_S  # which is not more exact
            pause = "a year or more" if is_long else f"{math.ceil(self.retry_after_s):,} s"
            asked = f"; it asks for a pause of {pause}"
        if self.repeats is None or not self.passing:
            return asked
        times = "once" if self.repeats == 1 else f"{self.repeats} times"
        return f"{asked}; the request was {f'repeated {times}' if self.repeats else 'not repeated'} (--retries, --timeout)"

    @property
    def _status(self) -> str:
        """What the server answered, in parentheses after a space; empty if it did not."""
        if not self.status:
            return ""
        phrase = HTTPStatus(self.status).phrase if self.status in _STATUSES else ""
        said = " ".join(part for part in (str(self.status), phrase) if part)
        return f" ({said}, {self.code})" if self.code else f" ({said})"


_MEANINGS: Final[tuple[tuple[Callable[[Failure], object], type[StoreError], str], ...]] = (
    (lambda f: f.no_bucket, StoreNotFoundError, "there is no such bucket or container ({code})"),
    (lambda f: f.wrong_region, StoreError, _ELSEWHERE),
    (lambda f: f.trouble == _ONLY_TLS, UnreachableError, "{trouble}{status}"),
    (lambda f: f.no_credentials, AccessDeniedError, "no credentials were found; {hint}"),
    (lambda f: f.status == 507 or f.code == service_codes.FULL, StoreFullError, _NO_ROOM),
    (lambda f: f.denied, AccessDeniedError, "{denial}{status}; {hint}"),
    (lambda f: f.status == 407, UnreachableError, _PROXY_LOGIN + "{status}"),
    (lambda f: f.kind == "Timeout", StoreTimeoutError, _NO_ANSWER),
    (lambda f: f.status in (408, 504), StoreTimeoutError, "the server ran out of time{status}{efforts}"),
    (lambda f: f.kind == "Slow", StoreTimeoutError, _SLOW),
    (lambda f: f.status == 429, UnreachableError, _TOO_MANY),
    (
        lambda f: f.status >= 500 or f.code in service_codes.FAILING,
        UnreachableError,
        "the server fails{status}{efforts}",
    ),
    (
        lambda f: "Got invalid" in f.text or "Header missing" in f.text,
        BrokenBodyError,
        "the answer is not an answer of {service}",
    ),
    (lambda f: f.broke_off, BrokenBodyError, "the answer broke off before its end"),
    (lambda f: f.kind in _UNREACHED, UnreachableError, "{trouble}"),
    (lambda f: f.redirected, UnreachableError, "the server redirects without an address"),
    (lambda f: f.status == 404, StoreNotFoundError, "there is no such store{status}"),
    (lambda f: f.code == "KeyTooLongError", KeyTooLongError, "this name is too long for {service}"),
    (lambda f: f.name in _INVALID_KEYS, InvalidKeyError, "this name is not possible in {service}"),
    (lambda f: f.status, StoreError, "the request failed{status}"),
    (lambda _: True, StoreError, "{text}"),
)
"""What a failure means, the first that holds, and the reason to show."""


def unusable(error: Exception, url: str) -> StoreError:
    """The error to raise if obstore refuses to make a client. Shows nothing of its text, which may quote a secret."""
    text = str(error)
    fallback = "its address, a credential or an option cannot be used"
    return StoreError(
        f"{url}: {next((meaning for sign, meaning in service_codes.UNUSABLE.items() if sign in text), fallback)}",
        url=url,
    )


def trouble_in(text: str) -> str:
    """Why there was no connection, if the text of an exception says so."""
    trouble = next((meaning for sign, meaning in _TROUBLES.items() if sign in text), "")
    rule = _BROKEN_RULE.search(text) if trouble == _MALFORMED else None
    return trouble if rule is None else f"{trouble}: {rule[1]}"


def certificate_trouble_in(text: str) -> str:
    """The problem of a server's certificate, if the text of an exception says so."""
    trouble = trouble_in(text)
    return trouble if trouble.startswith(_CERTIFICATES) else ""


_STATUSES: Final = frozenset(int(status) for status in HTTPStatus)


def without_secrets(text: str) -> str:
    """``text`` without the user-info, query and fragment of every URL in it.

    >>> without_secrets("GET https://me:pw@host/a?sig=1 in 3 ms")
    'GET https://host/a in 3 ms'
    """
    return _URL.sub(r"\1\2", text)


def address_without_secrets(address: str) -> str:
    """An address without user-info, query and fragment. It may lack a scheme; it is empty if these parts cannot be told apart.

    >>> address_without_secrets("me:pw@proxy:3128"), address_without_secrets("http://me:p/w@proxy")
    ('proxy:3128', '')
    """
    found = _ADDRESS.fullmatch(address)
    return (found[1] or "") + found[2] if found else ""
