"""Object stores and web servers: the common part of S3, GCS, Azure and HTTP."""

from __future__ import annotations

import threading
import zlib
from abc import abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from zarrcore.errors import BodyTooLargeError, BrokenBodyError, StoreError
from zarrcore.stores.connection.bodies import WHOLE_MAX, BodyError, Download
from zarrcore.stores.connection.clients import REQUESTS_IN_FLIGHT, WHOLE_READ, ForkGuard, proxy_of
from zarrcore.stores.connection.content_encoding import COMPRESSED, compression_of, inflated
from zarrcore.stores.connection.failures import Failure, address_without_secrets, request_errors, unusable
from zarrcore.stores.connection.retries import Retries, no_repeats
from zarrcore.stores.credentials.fingerprint import credentials_fingerprint
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ReadableStore,
    StoreStat,
)
from zarrcore.stores.keys import check_path_like_key
from zarrcore.stores.object.requested_pause import RequestedPause
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from obstore.store import RetryConfig

T = TypeVar("T")
Stated = Callable[[], StoreStat | None]
"""Returns the facts that a service states about a value, if it does: most readers do not need them, and they take time."""


class _CompressedError(Exception):
    """The head of an answer shows that the service stores the value compressed, so that parts of it mean nothing."""


class ObstoreStore(ReadableStore):
    """Values on a server, which is not contacted before the first request.

    Args:
        place: the URL of the bucket or server, without path and credentials.
        prefix: the path within it, "" or ending in ``/``.
        options: how to connect.
    """

    is_remote = True
    states_versions = True
    requests_in_flight = REQUESTS_IN_FLIGHT

    service: ClassVar[str]
    """Its name in errors."""
    suffix_ranges: ClassVar[bool] = True
    """Whether the service can return the last bytes of a value of unknown size."""

    def __init__(self, place: str, prefix: str, options: StoreOptions) -> None:
        self.prefix = prefix
        self.options = options
        self.url = place + ("/" + prefix.rstrip("/") if prefix else "")
        self._made: Any = None
        self._writing: dict[bool, tuple[Any, Any]] = {}
        self._lock = threading.Lock()
        self._requested_pause = RequestedPause(options)
        self._place_seen = False
        self._mendings = 0
        """How often a refusal was mended."""

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("_made", "_writing", "_cloning", "_lock")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._made = None
        self._writing = {}
        self._lock = threading.Lock()

    @property
    def identity(self) -> Hashable:
        return self.url, self.options.identity, self._surroundings

    @cached_property
    def _surroundings(self) -> bytes:
        return credentials_fingerprint(self.service, self.options.profile)

    @abstractmethod
    def _make_client(self, repeats: RetryConfig, timeouts: int) -> Any:
        """Make an obstore store, which repeats requests as told, and gives each so many timeouts; called on the first request."""

    def _reader(self) -> Any:
        """What reads values: obstore's client, or a `Reader` where the store can make its requests."""
        return self._client()

    @abstractmethod
    def _hint(self) -> str:
        """Advice if access is denied."""

    def close(self) -> None:
        self._made = None

    def _renew(self) -> None:
        """Let the next request look for newer credentials."""
        self._made = None

    def get(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> BytesLike | None:
        found = self._fetch(key, byte_range, max_nbytes)
        return None if found is None else found[0]

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        # The head of an answer identifies the version of its body: one request instead of three.
        found = self._fetch(key, byte_range, max_nbytes)
        if found is None:
            return None
        value, stated = found
        stat = stated()
        return (
            super().get_with_stat(key, byte_range, max_nbytes=max_nbytes) if stat is None else (value, stat)
        )

    def _fetch(
        self, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> tuple[BytesLike, Stated] | None:
        """A value, or part of it, and its facts; None if it is absent."""
        check_path_like_key(key, self.url)
        path = self.prefix + key
        if byte_range is not None and byte_range.start < 0 and not self.suffix_ranges:
            facts = self.stat(key)
            if facts is None:
                return None
            byte_range = ByteRange(*byte_range.resolve(facts.size))
            if byte_range.is_empty:
                return b"", lambda: facts
        empty = byte_range is not None and byte_range.is_empty
        try:
            found = self._asked(
                path, lambda reader: self._download(reader, path, byte_range, max_nbytes), self._reader
            )
        except _CompressedError:
            return self._part_of_whole(key, byte_range, max_nbytes)
        if isinstance(found, Failure):
            return self._fetch_failed(found, key, byte_range, max_nbytes)
        self._place_seen = True
        value, answer = found
        if encoding := _compression(answer):
            value = self._decoded(value, encoding, key, max_nbytes)
            return value, lambda: replace(stat_of(answer.meta), size=len(value))
        return (value[:0] if empty else value), lambda: stat_of(answer.meta)

    def _decoded(self, body: BytesLike, encoding: str, key: str, max_nbytes: int | None) -> BytesLike:
        """A value that is stored compressed, as every client shows it. At most ``max_nbytes`` are kept."""
        limit = WHOLE_MAX if max_nbytes is None else max_nbytes
        value, size = bytearray(), 0
        try:
            for piece in inflated((bytes(body),), encoding):
                size += len(piece)
                if size <= limit:
                    value += piece
                elif size > WHOLE_MAX:
                    break
        except (zlib.error, BodyError):
            raise BrokenBodyError(
                f"{key} in {self.url}: it is stored with Content-Encoding {encoding}, but does not decode",
                key=key,
                url=self.url,
            ) from None
        self._check_size(size, self.prefix + key, max_nbytes)
        return memoryview(value).toreadonly()

    def _download(
        self, client: Any, path: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> tuple[BytesLike, Any]:
        def check(answer: Any) -> None:
            self._check_head(answer, path)
            if encoding := _compression(answer):
                self.lists_other_sizes = True
                if encoding not in COMPRESSED:
                    key = path[len(self.prefix) :]
                    raise BrokenBodyError(
                        f"{key} in {self.url}: it is stored with Content-Encoding {encoding}, which is not supported",
                        key=key,
                        url=self.url,
                    )
                if byte_range not in (None, (0, None)):
                    raise _CompressedError
            limit = None if encoding else max_nbytes
            self._check_size(answer.range[1] - answer.range[0], path, limit)

        return Download(path, byte_range, self.options.timeout_s, check).run(client)

    def _check_head(self, answer: Any, path: str) -> None:
        """Raise an error if the head of an answer shows that its body is not the value."""

    def _asked(
        self, path: str, request: Callable[[Any], T], client_of: Callable[[], Any] | None = None
    ) -> T | Failure:
        """The outcome of a request of a client, which is repeated while it fails for reasons that may pass.

        ``client_of`` returns the client; without it, that is obstore's. One that is not needed is not made: that takes time.
        """
        retries, is_mended = Retries(self.options, self.url), False
        while True:
            mendings = self._mendings
            outcome = self._tried(request, client_of)
            if not isinstance(outcome, Failure):
                return outcome
            if not is_mended and self._mends(outcome, mendings):
                is_mended = True
                continue
            if (last := self._last(retries, outcome, path)) is not None:
                return last

    def _mends(self, failure: Failure, mendings: int) -> bool:
        """Whether a request that was refused may be accepted now: credentials that have expired are renewed.

        Args:
            failure: of the request.
            mendings: the number of `_mendings` before it. Many requests are refused at once, and one of them renews.
        """
        if not failure.outdated:
            return False
        with self._lock:
            if mendings == self._mendings:
                self._mendings += 1
                self._renew()
        return True

    def _last(self, retries: Retries, failure: Failure, path: str) -> Failure | None:
        """The failure if the request must not be repeated, with what was done about it; None after the pause before a repeat."""
        if not failure.passing:
            return failure
        wanted_s = failure.retry_after_s
        if wanted_s is None:
            wanted_s = self._requested_pause.left_s(failure, self._client(), path)
        if retries.wait(wanted_s, briefly=failure.has_no_server and not self._place_seen):
            return None
        return replace(failure, retry_after_s=wanted_s, repeats=retries.made)

    def _tried(self, request: Callable[[Any], T], client_of: Callable[[], Any] | None = None) -> T | Failure:
        """The outcome of one request, as `_asked`."""
        try:
            return request((client_of or self._client)())
        except StoreError:
            raise
        except BodyError as error:
            return Failure.of_kind(error.kind)
        except request_errors() as error:
            return Failure.of(error)

    def _check_size(self, size: int, path: str, max_nbytes: int | None) -> None:
        limit = WHOLE_MAX if max_nbytes is None else max_nbytes
        if size > limit:
            raise BodyTooLargeError(size, limit, key=path[len(self.prefix) :], url=self.url)

    def _fetch_failed(
        self, failure: Failure, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> tuple[BytesLike, Stated] | None:
        if failure.past_end and byte_range is not None:
            return self._past_end(key, byte_range, max_nbytes)
        if failure.range_ignored and byte_range is not None:
            return self._part_of_whole(key, byte_range, max_nbytes)
        self._check_absent(failure, key)
        return None

    def _part_of_whole(
        self, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> tuple[BytesLike, Stated] | None:
        """A part of a value that is only sent whole."""
        found = self._fetch(key, None, None)
        if found is None:
            return None
        whole, stated = found
        start, stop = (byte_range or ByteRange(0)).resolve(len(whole))
        self._check_size(stop - start, self.prefix + key, max_nbytes)
        return memoryview(whole)[start:stop], stated

    def _past_end(
        self, key: str, byte_range: ByteRange, max_nbytes: int | None
    ) -> tuple[BytesLike, Stated] | None:
        """A part that is past the end, according to the service. Some say so of the last bytes if there are fewer.

        The end may be that of a compressed value.
        """
        facts = self.stat(key)
        if facts is None:
            return None
        start, stop = byte_range.resolve(facts.size)
        if start == stop:
            return b"", lambda: facts
        if byte_range.start >= 0:
            return self._part_of_whole(key, byte_range, max_nbytes)
        return self._fetch(key, ByteRange(start, stop), max_nbytes)

    def stat(self, key: str) -> StoreStat | None:
        check_path_like_key(key, self.url)
        path = self.prefix + key
        mendings = self._mendings
        answer = self._asked(path, lambda reader: reader.get(path, options={"head": True}), self._reader)
        if isinstance(answer, Failure):
            failure = answer
            if failure.absent and not self._place_seen:
                # An answer to HEAD has no body that says if the key or the whole bucket is missing.
                return None if self.get(key) is None else self.stat(key)
            if failure.status in (400, 409) or failure.denied:
                part = self.get(key, ByteRange(0, 1))  # the answer to this request has the reason
                if mendings != self._mendings:
                    return self.stat(key)
                if part is not None:
                    raise self._error(failure, key)
            self._check_absent(failure, key)
            return None
        self._check_head(answer, path)
        self._place_seen = True
        if _compression(answer):  # nothing states the size of the value
            found = self._fetch(key, None, None)
            return None if found is None else found[1]()
        return stat_of(answer.meta)

    def _client(self) -> Any:
        ForkGuard.check(self.url)
        client = self._made
        if client is None:
            with self._lock:
                if self._made is None:
                    self._made = self._new_client(no_repeats(), WHOLE_READ)
                client = self._made
        return client

    def _new_client(self, repeats: RetryConfig, timeouts: int) -> Any:
        try:
            return self._make_client(repeats, timeouts)
        except request_errors() as error:
            if isinstance(error, StoreError):
                raise
            raise unusable(error, self.url) from None

    def _check_absent(self, failure: Failure, key: str) -> None:
        """Return if the key is absent, otherwise raise the matching error."""
        if failure.absent:
            self._place_seen = True
        elif not (failure.may_mean_absent and self.options.treat_403_as_missing):
            # Without its cause, whose text may contain a signed URL.
            raise self._error(failure, key) from None

    def _error(self, failure: Failure, key: str | None, hint: str = "") -> StoreError:
        if failure.outdated:
            self._renew()
        shown = key if key is None or key.isprintable() else repr(key)
        what = f"{shown} in {self.url}" if shown else self.url
        return failure.error(
            what,
            key,
            self.url,
            service=self.service,
            hint=hint or self._hint_at(failure, key),
            surroundings=self._environment_words(),
        )

    def _hint_at(self, failure: Failure, key: str | None) -> str:
        """Advice if access to a key is denied."""
        return self._hint()

    def _environment_words(self) -> str:
        """The endpoint and the proxy of the requests, and what names them, unless the URL or an option does."""
        endpoint = self._endpoint_of_surroundings()
        address = self.options.endpoint_url or (endpoint[0] if endpoint else self.url)
        told = ("endpoint", endpoint), ("proxy", proxy_of(address))
        return "; ".join(
            " ".join(filter(None, ("the", what, address_without_secrets(found[0]), "comes from", found[1])))
            for what, found in told
            if found
        )

    def _endpoint_of_surroundings(self) -> tuple[str, str] | None:
        """The endpoint that the environment, or a file, gives, and what gives it."""
        return None


def stat_of(facts: Any) -> StoreStat:
    """obstore's facts about a value; obstore sets a missing date to the epoch."""
    return StoreStat(facts["size"], facts["last_modified"].timestamp() or None, facts["e_tag"])


def _compression(answer: Any) -> str:
    """How the body of an answer is compressed; empty if it is the value itself."""
    return compression_of(answer.attributes.get("Content-Encoding", ""))
