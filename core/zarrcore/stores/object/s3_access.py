"""Signed requests for a bucket of S3, or unsigned ones for a public bucket.

Specification: Amazon S3, "Authenticating Requests (AWS Signature Version 4)".
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Final
from urllib.parse import quote, urlsplit

from zarrcore.stores.connection.reader import Request
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:
    from obstore.store import S3Credential

_EMPTY: Final = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class S3Access:
    """How to request what is in one bucket."""

    address: str
    """The URL of the bucket, without a slash at its end."""
    options: StoreOptions
    """How to connect."""
    region: str = ""
    credentials: S3Credential | None = field(default=None, repr=False)
    """The keys to sign with; None for anonymous requests."""
    requester_pays: bool = False

    def request(self, method: str, key: str, query: Mapping[str, str] | None = None) -> Request:
        """The URL of a key, or of the bucket if it is empty, and the headers of the request, with a signature.

        Raises:
            UnicodeEncodeError: the key is not text.
        """
        url = f"{self.address}/{quote(key)}" if key else self.address
        text = "&".join(f"{name}={_quoted(value)}" for name, value in sorted((query or {}).items()))
        headers = {"x-amz-request-payer": "requester"} if self.requester_pays else {}
        if self.credentials is not None:
            now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
            headers = signature(method, url, text, self.region, self.credentials, now, headers)
        return (f"{url}?{text}" if text else url), headers


def signature(
    method: str, url: str, query: str, region: str, keys: S3Credential, now: str, more: Mapping[str, str]
) -> dict[str, str]:
    """The headers that sign a request without a body.

    Args:
        method: ``GET`` or ``HEAD``.
        url: without its query.
        query: the query, sorted and encoded.
        region: the region of the bucket.
        keys: what to sign with.
        now: the time in UTC, as ``20261128T121500Z``.
        more: further headers, which are signed, too.
    """
    parts = urlsplit(url)
    headers = {"host": parts.netloc, "x-amz-content-sha256": _EMPTY, "x-amz-date": now, **more}
    if token := keys.get("token"):
        headers["x-amz-security-token"] = token
    names = ";".join(sorted(headers))
    listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    request = "\n".join([method, parts.path, query, listed, names, _EMPTY])
    scope = f"{now[:8]}/{region}/s3/aws4_request"
    digest = hashlib.sha256(request.encode()).hexdigest()
    key = _signing_key(keys["secret_access_key"], scope)
    signed = hmac.digest(key, f"AWS4-HMAC-SHA256\n{now}\n{scope}\n{digest}".encode(), "sha256").hex()
    headers["authorization"] = (
        f"AWS4-HMAC-SHA256 Credential={keys['access_key_id']}/{scope}, SignedHeaders={names}, Signature={signed}"
    )
    return headers


@lru_cache(maxsize=8)
def _signing_key(secret: str, scope: str) -> bytes:
    key = f"AWS4{secret}".encode()
    for word in scope.split("/"):
        key = hmac.digest(key, word.encode(), "sha256")
    return key


def _quoted(text: str) -> str:
    return quote(text, safe="-_.~", errors="surrogateescape")
