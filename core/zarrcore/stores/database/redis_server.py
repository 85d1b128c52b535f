"""Requests to a Redis server: connections, retries while it is unavailable, and errors as zarrcore's errors."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zarrcore.errors import (
    AccessDeniedError,
    BrokenBodyError,
    StoreError,
    StoreFullError,
    StoreNotFoundError,
    StoreTimeoutError,
    UnreachableError,
)
from zarrcore.late_imports import from_extra
from zarrcore.stores.connection.failures import certificate_trouble_in
from zarrcore.stores.connection.retries import Retries
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    import redis

PASSWORD: Final = "REDISCLI_AUTH"  # noqa: S105 - the name of redis-cli's environment variable
DEFAULT_PORT: Final = 6379

REFUSED: Final = object()
"""Instead of an answer: the server does not support the request, or does not allow it."""

_READ_AT_ONCE: Final = 1 << 20
_MOST_CONNECTIONS: Final = 1024

_CREDENTIALS: Final = (
    f"access is denied; the password comes from {PASSWORD}, the user from user@host in the URL"
)
_TROUBLES: Final = {
    "[SSL": "the server does not speak TLS (try redis:// for rediss://)",
    "Connection refused": "the server refuses the connection",
    "Name or service not known": "the server's name cannot be resolved",
    "No address associated": "the server's name cannot be resolved",
    "Temporary failure in name resolution": "the server's name cannot be resolved",
    "max number of clients": "the server has reached its maximum number of connections",
}
_ANSWERS: Final[dict[str, tuple[type[StoreError], str]]] = {
    "NOAUTH": (AccessDeniedError, _CREDENTIALS),
    "WRONGPASS": (AccessDeniedError, _CREDENTIALS),
    "NOPERM": (AccessDeniedError, "the user does not have permission for that"),
    "READONLY": (AccessDeniedError, "the server is a replica, which is read-only"),
    "OOM": (StoreFullError, "the server has no memory left (maxmemory)"),
    "MISCONF": (StoreFullError, "the server accepts no values because it cannot save them to its disk"),
    "WRONGTYPE": (BrokenBodyError, "it is a list, a set or another type of Redis, not a string"),
    "LOADING": (UnreachableError, "the server is still loading its data"),
    "BUSY": (UnreachableError, "the server is busy with a script"),
    "MASTERDOWN": (UnreachableError, "the server is a replica that lost its master"),
    "MOVED": (StoreError, "the server is one of a cluster, which is not supported"),
    "DB": (StoreNotFoundError, "the server has no database of this number"),
}
"""By the first word of an error answer; the Python package redis drops some of these words."""


class Address(NamedTuple):
    """The address of a database."""

    host: str
    port: int
    database: int
    user: str | None
    tls: bool


class RedisServer:
    """A database of a server, and this process's connections to it, one per request in flight."""

    def __init__(self, address: Address, url: str, options: StoreOptions) -> None:
        self.address = address
        self.url = url
        self.options = options
        self._begin()

    def _begin(self) -> None:
        self._lock = threading.Lock()
        self._made: tuple[int, redis.Redis] | None = None
        self._has_answered = False

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    @property
    def identity(self) -> Hashable:
        """A hash of everything that its answers depend on. Contains no secret."""
        secrets = hashlib.sha256(repr((self.address, self._password())).encode()).digest()
        return self.options.identity, secrets

    def close(self) -> None:
        """Close the connections of this process."""
        with self._lock:
            made, self._made = self._made, None
        if made is not None and made[0] == os.getpid():
            made[1].close()

    def ask(
        self,
        key: str | None,
        call: Callable[[redis.Redis], Any],
        *,
        again: bool = True,
        refusable: bool = False,
    ) -> Any:
        """The answer to a request, which is repeated while the server is unavailable, as long as the options allow.

        Args:
            key: the key, for errors.
            call: sends the request.
            again: whether the request may be sent twice.
            refusable: return `REFUSED` if the server does not support or allow the request.

        Raises:
            StoreError: no answer, or an error.
        """
        client = self._client()
        from redis.exceptions import RedisError, ResponseError

        try:
            return self._repeat(lambda: call(client), again)
        except (RedisError, OSError) as error:
            failure = self._failure(error, key)
            if refusable and isinstance(error, ResponseError) and not isinstance(failure, BrokenBodyError):
                return REFUSED
            raise failure from None

    def _repeat(self, call: Callable[[], Any], again: bool) -> Any:
        from redis.exceptions import AuthenticationError, ConnectionError  # noqa: A004 - redis's own

        retries = Retries(self.options, self.url)
        while True:
            try:
                found = call()
            except ConnectionError as error:
                briefly = "Connection refused" in str(error) and not self._has_answered
                if not again or isinstance(error, AuthenticationError) or not retries.wait(briefly=briefly):
                    raise
            else:
                self._has_answered = True
                return found

    def _failure(self, error: Exception, key: str | None) -> StoreError:
        shown = key if key is None or key.isprintable() else repr(key)
        what = f"{shown} in {self.url}" if shown else self.url
        kind, reason = _kind_and_reason(error)
        return kind(f"{what}: {reason}", key=key or None, url=self.url)

    def _client(self) -> redis.Redis:
        made = self._made
        if (
            made is None or made[0] != os.getpid()
        ):  # connections from before a fork belong to the other process
            with self._lock:
                made = self._made
                if made is None or made[0] != os.getpid():
                    made = self._made = (os.getpid(), self._connect())
        return made[1]

    def _connect(self) -> redis.Redis:
        from_extra("redis", "Redis", "redis")
        import redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry

        host = f"[{self.address.host}]" if ":" in self.address.host else self.address.host
        tls = {"ssl_ca_certs": self._ca_bundle(), "ssl_check_hostname": True} if self.address.tls else {}
        # `redis.Redis` itself takes the size of reads only since version 8.
        return redis.Redis.from_url(
            f"{'rediss' if self.address.tls else 'redis'}://{host}:{self.address.port}",
            db=self.address.database,
            username=self.address.user,
            password=self._password(),
            socket_timeout=self.options.timeout_s,
            socket_connect_timeout=self.options.timeout_s,
            socket_read_size=_READ_AT_ONCE,
            max_connections=_MOST_CONNECTIONS,
            retry=Retry(NoBackoff(), 0),
            protocol=2,
            **tls,
        )

    def _password(self) -> str | None:
        return None if self.options.anonymous else os.environ.get(PASSWORD)

    def _ca_bundle(self) -> str | None:
        path = self.options.ca_bundle
        if path is not None and not os.access(os.path.expanduser(path), os.R_OK):
            raise StoreError(f"cannot read the certificates in {path}")
        return None if path is None else os.path.expanduser(path)


def _kind_and_reason(error: Exception) -> tuple[type[StoreError], str]:
    """The meaning of an exception of redis. Its text comes from the server, and is shown only if it is unknown."""
    from redis import exceptions

    text = str(error)
    known = _ANSWERS.get(text.partition(" ")[0])
    match error:
        case exceptions.AuthenticationError() | exceptions.AuthorizationError():
            return AccessDeniedError, _CREDENTIALS
        case exceptions.NoPermissionError():
            return _ANSWERS["NOPERM"]
        case exceptions.ReadOnlyError():
            return _ANSWERS["READONLY"]
        case exceptions.OutOfMemoryError():
            return _ANSWERS["OOM"]
        case exceptions.BusyLoadingError():
            return _ANSWERS["LOADING"]
        case exceptions.MovedError():
            return _ANSWERS["MOVED"]
        case exceptions.TimeoutError() | TimeoutError():
            return StoreTimeoutError, "no answer within the time allowed (--timeout)"
        case exceptions.InvalidResponse():
            return BrokenBodyError, "the server that answers is not a Redis server"
        case exceptions.ResponseError():
            return known or (StoreError, f"the server answers: {text.partition(chr(10))[0][:200]}")
    reason = certificate_trouble_in(text) or next(
        (meaning for sign, meaning in _TROUBLES.items() if sign in text), "the connection broke"
    )
    return UnreachableError, reason
