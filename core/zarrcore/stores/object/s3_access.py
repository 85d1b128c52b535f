"""Signed requests for a bucket of S3, or unsigned ones for a public bucket.

Specification: Amazon S3, "Authenticating Requests (AWS Signature Version 4)".
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from math import inf
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from zarrcore.stores.connection.reader import Request
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:
    from obstore.store import S3Credential

_EMPTY: Final = hashlib.sha256(b"").hexdigest()


class S3Access:
    """How to request what is in one bucket.

    Args:
        address: the URL of the bucket, without a slash at its end.
        options: how to connect.
        region: of the bucket.
        credentials: the keys to sign with; None for anonymous requests.
        requester_pays: whether the user pays for requests.
        ahead_s: the seconds by which the clock of the service is ahead.
    """

    def __init__(
        self,
        address: str,
        options: StoreOptions,
        region: str = "",
        credentials: S3Credential | None = None,
        requester_pays: bool = False,
        ahead_s: float = 0.0,
    ) -> None:
        self.address = address
        self.options = options
        self.credentials = credentials
        self._region = region
        self._ahead_s = ahead_s
        parts = urlsplit(address)
        self._path = parts.path
        # As the client sends it: without the protocol's own port.
        self._host = parts.netloc.lower().removesuffix({"http": ":80", "https": ":443"}[parts.scheme.lower()])
        self._headers = {"x-amz-request-payer": "requester"} if requester_pays else {}
        self._signer: Signer | None = None

    @property
    def ends_s(self) -> float:
        """When the keys expire, in seconds since the epoch."""
        end = None if self.credentials is None else self.credentials["expires_at"]
        return inf if end is None else end.timestamp()

    def request(self, method: str, key: str, query: Mapping[str, str] | None = None) -> Request:
        """The URL of a key, or of the bucket if it is empty, and the headers of the request, with a signature.

        Raises:
            UnicodeEncodeError: the key is not text.
        """
        path = "/" + quote(key) if key else ""
        text = "&".join(f"{name}={_quoted(query[name])}" for name in sorted(query)) if query else ""
        url = f"{self.address}{path}?{text}" if text else self.address + path
        if self.credentials is None:
            return url, self._headers
        now_s, signer = int(time.time() + self._ahead_s), self._signer
        if signer is None or signer.time_s != now_s:
            signer = Signer(self._host, self._region, self.credentials, now_s, self._headers)
            self._signer = signer
        return url, signer.headers(method, self._path + path, text)


class Signer:
    """Signs requests without a body in one second.

    Args:
        host: the server, with its port.
        region: of the bucket.
        keys: what to sign with.
        time_s: the time, in whole seconds since the epoch.
        more: further headers, which are signed, too.
    """

    def __init__(
        self, host: str, region: str, keys: S3Credential, time_s: int, more: Mapping[str, str]
    ) -> None:
        self.time_s = time_s
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time_s))
        self._headers = {"host": host, "x-amz-content-sha256": _EMPTY, "x-amz-date": now, **more}
        if token := keys.get("token"):
            self._headers["x-amz-security-token"] = token
        listed = sorted(self._headers.items())
        names = ";".join(name for name, _ in listed)
        self._end = "".join(f"{name}:{value}\n" for name, value in listed) + f"\n{names}\n{_EMPTY}"
        scope = f"{now[:8]}/{region}/s3/aws4_request"
        self._begin = f"AWS4-HMAC-SHA256\n{now}\n{scope}\n"
        self._authorization = (
            f"AWS4-HMAC-SHA256 Credential={keys['access_key_id']}/{scope}, SignedHeaders={names}, Signature="
        )
        self._key = f"AWS4{keys['secret_access_key']}".encode()
        for word in scope.split("/"):
            self._key = hmac.digest(self._key, word.encode(), "sha256")

    def headers(self, method: str, path: str, query: str) -> dict[str, str]:
        """The headers of a request.

        Args:
            method: ``GET`` or ``HEAD``.
            path: of the URL, encoded.
            query: of the URL, sorted and encoded.
        """
        digest = hashlib.sha256(f"{method}\n{path}\n{query}\n{self._end}".encode()).hexdigest()
        signed = hmac.digest(self._key, (self._begin + digest).encode(), "sha256").hex()
        return {**self._headers, "authorization": self._authorization + signed}


def _quoted(text: str) -> str:
    return quote(text, safe="-_.~", errors="surrogateescape")
