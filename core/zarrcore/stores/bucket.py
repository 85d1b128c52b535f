"""Buckets: object stores that can be written, beside read."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice
from typing import Any, Final

from zarrcore.errors import StoreError
from zarrcore.stores.bucket_listing import listed
from zarrcore.stores.failures import Failure, obstore_errors
from zarrcore.stores.interface import ByteRange, BytesLike, StoreStat, WritableStore
from zarrcore.stores.keys import check_path_like_key, check_path_like_prefix
from zarrcore.stores.object import ObstoreStore, request_range, stat_of

_PART: Final = 8 * 2**20
"""Bytes of a part of a large value; what is no larger is sent in one request."""

_MOST_PARTS: Final = 10_000
"""The services take no more parts than this."""

_ERASED_AT_ONCE: Final = 1000
"""What S3 erases with one request; the other services are asked for several at a time."""

_HINT: Final = "writing needs credentials that allow it"


class BucketStore(ObstoreStore, WritableStore):
    """A bucket or container, or a prefix in one. Values appear at one stroke when the last byte has come.

    A writer that dies while it sends a large value in parts leaves parts that no listing shows and that cost
    money; the services can be told to remove them after some days.
    """

    def get_with_stat(
        self, key: str, byte_range: ByteRange | None = None, *, max_nbytes: int | None = None
    ) -> tuple[BytesLike, StoreStat] | None:
        # The head of an answer tells of which version its body is: one request where others need three.
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
            if failure.past_end or failure.range_ignored:  # `get` knows what to do
                return super().get_with_stat(key, byte_range, max_nbytes=max_nbytes)
            self._check_absent(failure, key)
            return None
        self._place_seen = True
        return value, stat_of(answer.meta)

    def set(self, key: str, value: BytesLike, *, if_absent: bool = False) -> bool:
        check_path_like_key(key, self.url)
        client = self._writer()
        data = memoryview(value).cast("B")
        part = max(_PART, -(-len(data) // _MOST_PARTS))
        try:
            if if_absent:  # in one request: parts are put together without a condition
                client.put(self.prefix + key, data, mode="create", use_multipart=False)
            else:
                client.put(self.prefix + key, data, chunk_size=part, use_multipart=len(data) > part)
        except obstore_errors() as error:
            failure = Failure.of(error)
            if if_absent and failure.exists:
                return False
            raise self._error(failure, key, _HINT) from None
        self._place_seen = True
        return True

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
            found = (facts["path"] for facts in listed(client, path, self.url, self.options.timeout_s))
            paths = (name for name in found if name.startswith(path))
            while batch := [*islice(paths, _ERASED_AT_ONCE)]:
                self._delete_all(client, batch)
        except StoreError:
            raise
        except obstore_errors() as error:
            raise self._error(Failure.of(error), prefix or None, _HINT) from None

    def _writer(self) -> Any:
        """The client, of a store that may be written."""
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
            # One of them was not there, or has no name for this; which of the others are gone now is not told.
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
    """What obstore raises when it erases; the last of them for names that it cannot send."""
    return (*obstore_errors(), TypeError)
