"""Plain HTTP requests for what obstore cannot do: listing pages, servers without ranges or announced lengths."""

from __future__ import annotations

import os
import ssl
import threading
import time
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from zarrcore.errors import StoreError
from zarrcore.stores.failures import Failure
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:
    import httpx

_FIRST_PAUSE_S: Final = 0.1


@dataclass(frozen=True, slots=True)
class Answer:
    """A successful answer."""

    url: str
    """Where it came from in the end, after redirections."""
    content_type: str
    body: memoryview

    def text(self) -> str:
        """The body as text; listing pages are UTF-8."""
        return str(self.body, "utf-8", errors="replace")


def tls_context(options: StoreOptions) -> ssl.SSLContext:
    """What TLS connections trust: the certificates that httpx brings, the system's, and ``ca_bundle``.

    Raises:
        StoreError: the bundle cannot be read.
    """
    import httpx

    context = httpx.create_ssl_context()
    context.load_default_certs()
    if options.ca_bundle is not None:
        try:
            context.load_verify_locations(os.path.expanduser(options.ca_bundle))
        except OSError as error:  # of which ssl.SSLError is one
            raise StoreError(f"cannot read the certificates in {options.ca_bundle}") from error
    return context


class WebClient:
    """An HTTP client that is made when first used and closed with whoever holds it."""

    def __init__(self, options: StoreOptions, headers: Mapping[str, str]) -> None:
        self._options = options
        self._headers = {
            "Accept-Encoding": "identity",
            "User-Agent": "zarrscope",
            **options.headers,
            **headers,
        }
        self._made: httpx.Client | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[type[WebClient], tuple[StoreOptions, Mapping[str, str]]]:
        return WebClient, (self._options, self._headers)

    def close(self) -> None:
        """Close idle connections; a later request opens new ones."""
        client, self._made = self._made, None
        if client is not None:
            client.close()

    def fetch(self, url: str, start: int = 0, stop: int | None = None) -> Answer | Failure:
        """The body at ``url``, or the bytes from ``start`` to ``stop`` of it; reading ends there.

        Servers that fail and connections that break are tried again as often as the options say.
        """
        deadline = time.monotonic() + self._options.timeout_s
        pause_s = _FIRST_PAUSE_S
        for _ in range(self._options.retries):
            result = self._fetch_once(url, start, stop)
            if isinstance(result, Answer) or not result.passing or time.monotonic() + pause_s > deadline:
                return result
            time.sleep(pause_s)
            pause_s *= 2
        return self._fetch_once(url, start, stop)

    def _fetch_once(self, url: str, start: int, stop: int | None) -> Answer | Failure:
        import httpx

        try:
            with self._client().stream("GET", url) as answer:
                if answer.url.path.endswith("/") and not httpx.URL(url).path.endswith("/"):
                    # Sent on to a directory, whose page the server may show or refuse: there is no such value.
                    return Failure.of_status(404)
                if answer.status_code != httpx.codes.OK:
                    return Failure.of_status(answer.status_code)
                body = bytearray()
                skipped = 0
                for piece in answer.iter_raw():
                    first = min(max(0, start - skipped), len(piece))
                    skipped += len(piece)
                    body += piece[first:] if first else piece
                    if stop is not None and start + len(body) >= stop:
                        del body[max(0, stop - start) :]
                        break
                return Answer(
                    str(answer.url), answer.headers.get("content-type", ""), memoryview(body).toreadonly()
                )
        except httpx.TimeoutException:
            return Failure.of_kind("Timeout")
        except (httpx.RemoteProtocolError, httpx.ReadError):
            return Failure.of_kind("Interrupted")
        except httpx.HTTPError:
            return Failure.of_kind("Connect")
        except httpx.InvalidURL:
            return Failure.of_kind("", "not an address")

    def _client(self) -> httpx.Client:
        with self._lock:
            if self._made is None:
                self._made = self._make()
            return self._made

    def _make(self) -> httpx.Client:
        import httpx

        client = httpx.Client(
            headers=self._headers,
            timeout=self._options.timeout_s,
            verify=tls_context(self._options),
            follow_redirects=True,
        )
        weakref.finalize(self, client.close)
        return client
