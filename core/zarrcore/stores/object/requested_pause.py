"""The pause that a service asks for when it throttles: obstore does not show the header ``Retry-After``."""

from __future__ import annotations

import threading
import time
from datetime import timedelta
from typing import Any, Final

from zarrcore.stores.connection.failures import Failure, request_errors
from zarrcore.stores.http.client import WebClient
from zarrcore.stores.options import StoreOptions

_THROTTLES: Final = (429, 503)
_VALID: Final = timedelta(minutes=5)
_COUNTS_S: Final = 1.0
"""How long an answer without a pause counts: many requests fail at the same moment."""


class RequestedPause:
    """Asks a service that throttles for how long, once for all requests that fail meanwhile. Thread-safe.

    Args:
        options: how to connect.
    """

    def __init__(self, options: StoreOptions) -> None:
        self._options = options
        self._lock = threading.Lock()
        self._ends_s = 0.0
        self._counts_until_s = 0.0

    def __reduce__(self) -> tuple[type[RequestedPause], tuple[StoreOptions]]:
        return RequestedPause, (self._options,)

    def left_s(self, failure: Failure, client: Any, path: str) -> float:
        """The seconds until requests are welcome again; 0 if the service asks for no pause.

        Args:
            failure: of the request.
            client: obstore's client, which signs a request for the head of the value.
            path: of the value.
        """
        if (
            failure.status not in _THROTTLES or self._options.anonymous
        ):  # obstore cannot sign without credentials
            return 0.0
        with self._lock:
            if time.monotonic() >= self._counts_until_s:
                pause_s = self._ask(client, path)
                self._ends_s = time.monotonic() + pause_s
                self._counts_until_s = time.monotonic() + max(pause_s, _COUNTS_S)
            return max(0.0, self._ends_s - time.monotonic())

    def _ask(self, client: Any, path: str) -> float:
        import obstore

        try:
            url = obstore.sign(client, "HEAD", path or "zarr.json", _VALID)
        except request_errors():  # such as credentials that cannot sign
            return 0.0
        web = WebClient(url, self._options, {})
        try:
            answer = web.head(url)
        finally:
            web.close()
        return (answer.retry_after_s or 0.0) if isinstance(answer, Failure) else 0.0
