"""Buckets: object stores that can also be written."""

from __future__ import annotations

import hashlib
import os
import re
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from itertools import islice
from typing import Any, Final, TypeVar

from zarrcore.stores.connection.clients import WHOLE_TRANSFER
from zarrcore.stores.connection.failures import Failure, request_errors
from zarrcore.stores.connection.retries import no_repeats, repeats_of_parts
from zarrcore.stores.descriptors import read_descriptor
from zarrcore.stores.interface import BytesLike, ReadableStore, StoreStat, WritableStore
from zarrcore.stores.keys import check_path_like_key, check_path_like_prefix
from zarrcore.stores.object.listed_store import ListedStore

T = TypeVar("T")

_PART: Final = 8 * 2**20
"""Bytes of a part of a large value; values up to this size are sent in one request."""

_CONDITIONAL_MAX: Final = 64 * 2**20
"""Maximum bytes of a value that is sent in one request with ``if_absent``."""

_MOST_PARTS: Final = 10_000
"""The maximum number of parts in the services."""

_ERASED_AT_ONCE: Final = 1000
"""The number of keys that S3 erases in one request; the other services get several requests at a time."""

_NOT_KNOWN: Final = {405, 501}
"""The answers of services that do not copy, or know no conditions."""

_MD5: Final = re.compile(r"[0-9a-f]{32}")

_UNSENDABLE: Final = ValueError
"""The exception for names that obstore cannot send."""

_HINT: Final = "writing needs credentials with write permission"


class BucketStore(ListedStore, WritableStore):
    """A bucket or container, or a prefix in one. Values appear atomically when the last byte has arrived.

    If a writer dies while it sends a large value in parts, the parts remain. Listings do not show them, but they cost
    money; the services can be configured to remove them after some days.
    """

    _cloning: tuple[Any, Any, Any] | None = None
    _has_conditions = True
    """Whether the service replaces a value only if it has an etag."""
    _knows_bare_etags = False
    """Whether the service compares an etag without its quotation marks, as Ceph 16 does, which refuses one with them."""

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        data = memoryview(value).cast("B")
        if if_absent:
            return self._create(key, data)
        self._put(key, data, len(data))
        return True

    def set_attested(self, key: str, value: BytesLike) -> bool:
        """S3 and GCS answer with the MD5 sum of what they received, unless they encrypt it with other keys than their own."""
        data = memoryview(value).cast("B")
        stated = (self._put(key, data, len(data)) or "").strip('"')
        return bool(_MD5.fullmatch(stated)) and stated == hashlib.md5(data, usedforsecurity=False).hexdigest()

    def set_file(self, key: str, descriptor: int, *, if_absent: bool = False) -> bool:
        """Store all bytes of an open file, part by part.

        With ``if_absent``, a value of more than 64 MiB is checked for first: several writers at once may all succeed.
        """
        size = os.fstat(descriptor).st_size
        if size <= (_CONDITIONAL_MAX if if_absent else _PART):
            return super().set_file(key, descriptor, if_absent=if_absent)
        if if_absent and self.stat(key) is not None:
            return False
        self._put(key, _parts(descriptor, size), size)
        return True

    def clone(self, source: ReadableStore, key: str, new: str) -> bool:
        """Have the service copy a value, if both places are in one service and have the same credentials."""
        inner, key = source.origin(key)
        check_path_like_key(new, self.url)
        if not isinstance(inner, BucketStore) or (client := self._cloner(inner)) is None:
            return False

        def copy(_: Any) -> None:
            # Its client may be a new one in a repeat.
            (self._cloner(inner) or client).copy(inner.prefix + key, self.prefix + new)

        outcome = self._asked(self.prefix + new, copy)
        if isinstance(outcome, Failure):
            # Such as a value of over 5 GiB, or a time limit. If the service is at fault, reading or writing will report it.
            if outcome.denied or outcome.status in _NOT_KNOWN:
                self._cloning = self._writer(), inner, None
            return False
        self._place_seen = True
        return True

    def may_clone(self, source: ReadableStore) -> bool:
        """Whether `clone` may have the service copy values of ``source``."""
        inner, _ = source.origin("")
        return isinstance(inner, BucketStore) and self._cloner(inner) is not None

    def _cloner(self, source: BucketStore) -> Any:
        """A client that copies from another bucket to this one, or None."""
        client = self._writer()
        with self._lock:
            known = self._cloning
            if known is None or known[0] is not client or known[1] is not source:
                same = type(source) is type(self) and source.access == self.access
                known = self._cloning = client, source, self._make_cloner(source, client) if same else None
            return known[2]

    def _make_cloner(self, source: Any, client: Any) -> Any:
        """A client that copies from a bucket of the same service. Usually, services only copy within a bucket."""
        return client if source.bucket_identity == self.bucket_identity else None

    @property
    def access(self) -> Hashable:
        """Identifies the service and the credentials."""
        return self.options.identity, self._surroundings

    @property
    @abstractmethod
    def bucket_identity(self) -> Hashable:
        """Identifies the bucket within its service."""

    def _put(self, key: str, data: Any, size: int) -> str | None:
        """Store a value; returns its ETag if it was sent in one request."""
        check_path_like_key(key, self.url)
        path = self.prefix + key
        if size <= _PART:
            answer = self._written(path, lambda: self._sender().put(path, data, use_multipart=False))
            etag: str | None = answer["e_tag"]
            return etag
        part = max(_PART, -(-size // _MOST_PARTS))
        try:
            self._sender(repeats=True).put(path, data, chunk_size=part, use_multipart=True)
        except request_errors() as error:
            raise self._error(Failure.of(error), key, _HINT) from None
        self._place_seen = True
        return None

    def _written(self, path: str, request: Callable[[], T]) -> T:
        """Send a request that changes the bucket, and repeat it while it fails for reasons that may pass.

        Raises:
            StoreError: it failed.
        """
        self._writer()
        outcome = self._asked(path, lambda _: request())
        if isinstance(outcome, Failure):
            raise self._error(outcome, path[len(self.prefix) :] or None, _HINT)
        self._place_seen = True
        return outcome

    def _create(self, key: str, data: memoryview) -> bool:
        """Store a value unless there is one, in one request with a condition: an upload in parts cannot have one.

        If the answer to the first request is lost, that to its repeat says that there is a value, which may be this one. It is
        taken for this one if it is equal, although another writer may have stored it.
        """
        check_path_like_key(key, self.url)
        self._writer()
        path, sent = self.prefix + key, 0

        def create(_: Any) -> None:
            nonlocal sent
            sent += 1
            self._sender().put(path, data, mode="create", use_multipart=False)

        outcome = self._asked(path, create)
        if isinstance(outcome, Failure):
            if outcome.exists:
                return sent > 1 and self.get(key) == data
            raise self._error(outcome, key, _HINT)
        self._place_seen = True
        return True

    def replace(self, key: str, value: BytesLike, stat: StoreStat) -> bool:
        """In one request with a condition, if the service has one for the versions that zarrcore knows."""
        if stat.etag is None or not self._has_conditions:
            return super().replace(key, value, stat)
        check_path_like_key(key, self.url)
        path, data = self.prefix + key, memoryview(value).cast("B")

        # A proxy that compresses marks etags as weak (W/), and a weak etag never fulfils a condition.
        stated, bare = stat.etag, stat.etag.removeprefix("W/").strip('"')
        etag, other = (bare, stated) if self._knows_bare_etags else (stated, bare)
        outcome = self._put_over(path, data, etag)
        is_refused = isinstance(outcome, Failure) and outcome.exists
        if is_refused and other != etag and (now := self.stat(key)) is not None and now.etag == stated:
            outcome = self._put_over(path, data, other)
            if not isinstance(outcome, Failure):
                self._knows_bare_etags = other == bare
        if isinstance(outcome, Failure):
            if outcome.exists or outcome.absent:
                return self.get(key) == data  # the answer to an earlier request may have been lost
            if outcome.status not in _NOT_KNOWN:
                raise self._error(outcome, key, _HINT)
            self._has_conditions = False
            return super().replace(key, value, stat)
        self._place_seen = True
        return True

    def _put_over(self, path: str, data: memoryview, etag: str) -> Any:
        """Put a value in place of the one with an etag, or return the failure."""
        mode: Any = {"e_tag": etag}
        return self._asked(path, lambda _: self._sender().put(path, data, mode=mode, use_multipart=False))

    def _sender(self, *, repeats: bool = False) -> Any:
        """A client that sends, beside the one that reads: it may take longer, and repeats requests only if told so."""
        client = self._writer()
        with self._lock:  # many threads send at first, and each client would have connections of its own
            made = self._writing.get(repeats)
            if made is None or made[0] is not client:
                policy = repeats_of_parts(self.options) if repeats else no_repeats()
                made = self._writing[repeats] = client, self._new_client(policy, WHOLE_TRANSFER)
        return made[1]

    def erase(self, key: str) -> None:
        check_path_like_key(key, self.url)
        self._writer()
        self._delete(self.prefix + key)

    def erase_values(self, keys: Iterable[str]) -> None:
        paths = (self._path(key) for key in keys)
        while batch := [*islice(paths, _ERASED_AT_ONCE)]:
            self._writer()
            self._delete_all(batch)

    def erase_prefix(self, prefix: str) -> None:
        check_path_like_prefix(prefix, self.url)
        self._writer()
        path = self.prefix + prefix
        found = (facts["path"] for facts in self._objects(path, hint=_HINT))
        paths = (name for name in found if name.startswith(path))
        while batch := [*islice(paths, _ERASED_AT_ONCE)]:
            self._delete_all(batch)

    def _writer(self) -> Any:
        """The client, if the store may be written."""
        return self._client()

    def _path(self, key: str) -> str:
        check_path_like_key(key, self.url)
        return self.prefix + key

    def _delete_all(self, paths: list[str]) -> None:
        outcome = self._asked(self.prefix, lambda client: _delete(client, paths))
        if not isinstance(outcome, Failure):
            return
        if not outcome.absent and outcome.name != _UNSENDABLE.__name__:
            raise self._error(outcome, None, _HINT)
        # One of them was absent or has an invalid name; the answer does not say which of the others were erased.
        for path in paths:
            self._delete(path)

    def _delete(self, path: str) -> None:
        outcome = self._asked(path, lambda client: _delete(client, path))
        if isinstance(outcome, Failure) and not outcome.absent:
            raise self._error(outcome, path[len(self.prefix) :], _HINT)


def _delete(client: Any, paths: str | list[str]) -> None:
    try:
        client.delete(paths)
    except TypeError as error:  # of obstore, for names that it cannot send
        raise _UNSENDABLE(str(error)) from None


def _parts(descriptor: int, size: int) -> Iterator[BytesLike]:
    """The first ``size`` bytes of an open file."""
    for start in range(0, size, _PART):
        yield read_descriptor(descriptor, min(_PART, size - start), start)
