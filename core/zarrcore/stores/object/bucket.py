"""Buckets: object stores that can also be written."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Hashable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from zarrcore.errors import StoreError
from zarrcore.stores.connection.failures import Failure, obstore_errors
from zarrcore.stores.connection.retries import Retries
from zarrcore.stores.descriptors import read_descriptor
from zarrcore.stores.interface import ByteRange, BytesLike, ReadableStore, StoreStat, WritableStore
from zarrcore.stores.keys import check_path_like_key, check_path_like_prefix
from zarrcore.stores.object.store import ObstoreStore, request_range, stat_of

_PART: Final = 8 * 2**20
"""Bytes of a part of a large value; values up to this size are sent in one request."""

_CONDITIONAL_MAX: Final = 64 * 2**20
"""Maximum bytes of a value that is sent in one request with ``if_absent``."""

_MOST_PARTS: Final = 10_000
"""The maximum number of parts in the services."""

_ERASED_AT_ONCE: Final = 1000
"""The number of keys that S3 erases in one request; the other services get several requests at a time."""

_NEVER_COPIES: Final = {405, 501}
"""The answers of services that do not copy."""

_HINT: Final = "writing needs credentials with write permission"


class BucketStore(ObstoreStore, WritableStore):
    """A bucket or container, or a prefix in one. Values appear atomically when the last byte has arrived.

    If a writer dies while it sends a large value in parts, the parts remain. Listings do not show them, but they cost
    money; the services can be configured to remove them after some days.
    """

    _creating: tuple[Any, Any] | None = None
    _cloning: tuple[Any, Any, Any] | None = None

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        # The head of an answer identifies the version of its body: one request instead of three.
        if byte_range is not None and (
            byte_range.is_empty or not (self.suffix_ranges or byte_range.start >= 0)
        ):
            return super().get_with_stat(key, byte_range, max_nbytes=max_nbytes)
        check_path_like_key(key, self.url)
        client = self._client()
        try:
            options = {} if byte_range is None else {"range": request_range(byte_range)}
            answer = client.get(self.prefix + key, options=options)
            value = self._body(answer, self.prefix + key, max_nbytes)
        except StoreError:
            raise
        except obstore_errors() as error:
            failure = Failure.of(error)
            if failure.past_end or failure.range_ignored:  # `get` handles the error
                return super().get_with_stat(key, byte_range, max_nbytes=max_nbytes)
            self._check_absent(failure, key)
            return None
        self._place_seen = True
        return value, stat_of(answer.meta)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        data = memoryview(value).cast("B")
        if if_absent:
            return self._create(key, data)
        self._put(key, data, len(data))
        return True

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
        try:
            client.copy(inner.prefix + key, self.prefix + new)
        except obstore_errors() as error:
            # Such as a value of over 5 GiB, or a time limit. If the service is at fault, reading or writing will report it.
            failure = Failure.of(error)
            if failure.denied or failure.status in _NEVER_COPIES:
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

    def _put(self, key: str, data: Any, size: int) -> None:
        check_path_like_key(key, self.url)
        client = self._writer()
        part = max(_PART, -(-size // _MOST_PARTS))
        try:
            client.put(self.prefix + key, data, chunk_size=part, use_multipart=size > part)
        except obstore_errors() as error:
            raise self._error(Failure.of(error), key, _HINT) from None
        self._place_seen = True

    def _create(self, key: str, data: memoryview) -> bool:
        """Store a value unless there is one, in one request with a condition: an upload in parts cannot have one.

        The request is repeated here and not by obstore: if the first answer is lost, the second says that there is a value,
        and that may be this one. It is taken for this one if it is equal, although another writer may have stored it.
        """
        check_path_like_key(key, self.url)
        client = self._creator()
        retries, repeated = Retries(self.options), False
        while True:
            try:
                client.put(self.prefix + key, data, mode="create", use_multipart=False)
                break
            except obstore_errors() as error:
                failure = Failure.of(error)
            if failure.exists:
                return repeated and self.get(key) == data
            if not failure.passing or not retries.wait():
                raise self._error(failure, key, _HINT) from None
            repeated = True
        self._place_seen = True
        return True

    def _creator(self) -> Any:
        """A client that does not repeat requests, beside the usual one."""
        client, made = self._writer(), self._creating
        if made is None or made[0] is not client:
            made = self._creating = client, self._new_client(replace(self.options, retries=0))
        return made[1]

    def erase(self, key: str) -> None:
        check_path_like_key(key, self.url)
        self._delete(self._writer(), self.prefix + key)

    def erase_values(self, keys: Iterable[str]) -> None:
        paths = (self._path(key) for key in keys)
        while batch := [*islice(paths, _ERASED_AT_ONCE)]:
            self._delete_all(self._writer(), batch)

    def erase_prefix(self, prefix: str) -> None:
        check_path_like_prefix(prefix, self.url)
        client = self._writer()
        path = self.prefix + prefix
        try:
            found = (facts["path"] for facts in self._objects(client, path))
            paths = (name for name in found if name.startswith(path))
            while batch := [*islice(paths, _ERASED_AT_ONCE)]:
                self._delete_all(client, batch)
        except StoreError:
            raise
        except obstore_errors() as error:
            raise self._error(Failure.of(error), prefix or None, _HINT) from None

    def _writer(self) -> Any:
        """The client, if the store may be written."""
        return self._client()

    def _path(self, key: str) -> str:
        check_path_like_key(key, self.url)
        return self.prefix + key

    def _delete_all(self, client: Any, paths: list[str]) -> None:
        try:
            client.delete(paths)
        except _erasing_errors() as error:
            failure = Failure.of(error)
            if not failure.absent and not isinstance(error, TypeError):
                raise self._error(failure, None, _HINT) from None
            # One of them was absent or has an invalid name; the answer does not say which of the others were erased.
            for path in paths:
                self._delete(client, path)

    def _delete(self, client: Any, path: str) -> None:
        try:
            client.delete(path)
        except _erasing_errors() as error:
            failure = Failure.of(error)
            if not failure.absent:
                raise self._error(failure, path[len(self.prefix) :], _HINT) from None


def _erasing_errors() -> tuple[type[Exception], ...]:
    """The exceptions of obstore when it erases; the last of them for names that it cannot send."""
    return (*obstore_errors(), TypeError)


def _parts(descriptor: int, size: int) -> Iterator[BytesLike]:
    """The first ``size`` bytes of an open file."""
    for start in range(0, size, _PART):
        yield read_descriptor(descriptor, min(_PART, size - start), start)
