"""Object stores and web servers through obstore: the common part of S3, GCS, Azure and HTTP."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import cached_property
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from zarrcore.errors import AccessDeniedError, BodyTooLargeError, BrokenBodyError, StoreError
from zarrcore.stores.connection.bodies import WHOLE_MAX, BodyError, Download
from zarrcore.stores.connection.clients import REQUESTS_IN_FLIGHT, ForkGuard
from zarrcore.stores.connection.failures import Failure, obstore_errors, unusable
from zarrcore.stores.connection.retries import Retries, no_repeats
from zarrcore.stores.credentials.fingerprint import credentials_fingerprint
from zarrcore.stores.interface import (
    ByteRange,
    BytesLike,
    ListableStore,
    ReadableStore,
    StoreEntry,
    StoreStat,
)
from zarrcore.stores.keys import check_path_like_key, check_path_like_prefix
from zarrcore.stores.object.listing import OBJECTS_AT_ONCE, PAGE, is_streamable, listed, mixed_prefixes
from zarrcore.stores.object.odd_keys import OddKeys
from zarrcore.stores.object.requested_pause import RequestedPause
from zarrcore.stores.object.s3_listing import FailedListingError, Page, S3Listing
from zarrcore.stores.options import StoreOptions

if TYPE_CHECKING:  # imported when it is needed, for a fast start
    from obstore.store import RetryConfig

T = TypeVar("T")


class ObstoreStore(ReadableStore, ListableStore):
    """Values read through obstore. The service is not contacted before the first request.

    Args:
        place: the URL of the bucket or server, without path and credentials.
        prefix: the path within it, "" or ending in ``/``.
        options: how to connect.
    """

    is_remote = True
    requests_in_flight = REQUESTS_IN_FLIGHT

    service: ClassVar[str]
    """Its name in errors."""
    suffix_ranges: ClassVar[bool] = True
    """Whether the service can return the last bytes of a value of unknown size."""
    lists_in_order: bool = True
    """Whether listings are sorted, so that one that broke off can continue."""

    def __init__(self, place: str, prefix: str, options: StoreOptions) -> None:
        self.prefix = prefix
        self.options = options
        self.url = place + ("/" + prefix.rstrip("/") if prefix else "")
        self._made: Any = None
        self._lock = threading.Lock()
        self._requested_pause = RequestedPause(options)
        self._place_seen = False
        self._mixed: set[str] = set()
        self._odd = OddKeys(self.url)

    def __getstate__(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.__dict__.items()
            if name not in ("_made", "_uploading", "_cloning", "_lock")
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._made = None
        self._lock = threading.Lock()

    @property
    def identity(self) -> Hashable:
        return self.url, self.options.identity, self._surroundings

    @cached_property
    def _surroundings(self) -> bytes:
        return credentials_fingerprint(self.service, self.options.profile)

    @abstractmethod
    def _make_client(self, repeats: RetryConfig) -> Any:
        """Make the obstore store, which repeats requests as told; called on the first request."""

    @abstractmethod
    def _hint(self) -> str:
        """Advice if access is denied."""

    def close(self) -> None:
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
        value, stat = found
        return (
            super().get_with_stat(key, byte_range, max_nbytes=max_nbytes) if stat is None else (value, stat)
        )

    def _fetch(
        self, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> tuple[BytesLike, StoreStat | None] | None:
        """A value, or part of it, with its facts if the service states them; None if it is absent."""
        check_path_like_key(key, self.url)
        path = self.prefix + key
        if byte_range is not None and byte_range.start < 0 and not self.suffix_ranges:
            facts = self.stat(key)
            if facts is None:
                return None
            byte_range = ByteRange(*byte_range.resolve(facts.size))
            if byte_range.is_empty:
                return b"", facts
        empty = byte_range is not None and byte_range.is_empty
        found = self._asked(path, lambda client: self._download(client, path, byte_range, max_nbytes))
        if isinstance(found, Failure):
            return self._fetch_failed(found, key, byte_range, max_nbytes)
        self._place_seen = True
        value, facts = found
        return (value[:0] if empty else value), stat_of(facts)

    def _download(
        self, client: Any, path: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> tuple[BytesLike, Any]:
        def check(answer: Any) -> None:
            self._check_head(answer, path)
            self._check_size(answer.range[1] - answer.range[0], path, max_nbytes)

        return Download(path, byte_range, self.options.timeout_s, check).run(client)

    def _check_head(self, answer: Any, path: str) -> None:
        """Raise an error if the head of an answer shows that its body is not the value."""

    def _asked(self, path: str, request: Callable[[Any], T]) -> T | Failure:
        """The outcome of a request of obstore's client, which is repeated while it fails for reasons that may pass."""
        retries = Retries(self.options)
        while True:
            outcome = self._tried(request)
            if not isinstance(outcome, Failure):
                return outcome
            if not outcome.passing or not self._pause(retries, outcome, path):
                return outcome

    def _pause(self, retries: Retries, failure: Failure, path: str) -> bool:
        """Pause before a repeat. False if the request must not be repeated."""
        wanted_s = self._requested_pause.left_s(failure, self._client(), path)
        return retries.wait(wanted_s, briefly=failure.nobody_answers)

    def _tried(self, request: Callable[[Any], T]) -> T | Failure:
        """The outcome of one request."""
        client = self._client()
        try:
            return request(client)
        except StoreError:
            raise
        except BodyError as error:
            return Failure.of_kind(error.kind)
        except obstore_errors() as error:
            return Failure.of(error)

    def _check_size(self, size: int, path: str, max_nbytes: int | None) -> None:
        limit = WHOLE_MAX if max_nbytes is None else max_nbytes
        if size > limit:
            raise BodyTooLargeError(size, limit, key=path[len(self.prefix) :], url=self.url)

    def _fetch_failed(
        self, failure: Failure, key: str, byte_range: ByteRange | None, max_nbytes: int | None
    ) -> tuple[BytesLike, StoreStat | None] | None:
        if failure.past_end and byte_range is not None:
            return b"", None
        if failure.range_ignored and byte_range is not None:
            found = self._fetch(key, None, None)
            if found is None:
                return None
            whole, stat = found
            start, stop = byte_range.resolve(len(whole))
            self._check_size(stop - start, self.prefix + key, max_nbytes)
            return memoryview(whole)[start:stop], stat
        self._check_absent(failure, key)
        return None

    def stat(self, key: str) -> StoreStat | None:
        check_path_like_key(key, self.url)
        path = self.prefix + key
        facts = self._asked(path, lambda client: client.head(path))
        if isinstance(facts, Failure):
            failure = facts
            if failure.absent and not self._place_seen:
                # An answer to HEAD has no body that says if the key or the whole bucket is missing.
                return None if self.get(key) is None else self.stat(key)
            if failure.status in (400, 409) or (failure.denied and not self.options.treat_403_as_missing):
                self.get(key, ByteRange(0, 1))  # the answer to this request has the reason
            self._check_absent(failure, key)
            return None
        self._place_seen = True
        return stat_of(facts)

    def list_prefix(self, prefix: str) -> Iterator[StoreEntry]:
        check_path_like_prefix(prefix, self.url)
        path = self.prefix + prefix
        held: StoreEntry | None = None
        empty = True
        for facts in self._objects(path):
            entry = self._entry(facts, path)
            if entry is None:
                continue
            empty = False
            # An empty object "a/" marks a folder and is listed as "a", before the folder's content.
            if held is not None and not entry.key.startswith(held.key + "/"):
                yield held
            held = entry if entry.size == 0 else None
            if held is None:
                yield entry
        if held is not None:
            yield held
        if empty:
            self._check_lists_nothing(prefix)
        self._place_seen = True

    def _objects(self, path: str, at_once: int = OBJECTS_AT_ONCE, hint: str = "") -> Iterator[Any]:
        """obstore's facts of each object whose path begins with ``path``, without keys that are no paths.

        A listing that breaks off continues after the last object that arrived.

        Raises:
            StoreError: the service refused, failed, or lists without end.
        """
        last: str | None = None
        retries = Retries(self.options)
        while not self._odd.are_there:
            before = last
            try:
                for facts in listed(self._client(), path, self.url, self.options.timeout_s, at_once, last):
                    if not path and last is None and self._begin_with_slash():
                        break
                    last = facts["path"]
                    yield facts
            except StoreError:
                raise
            except obstore_errors() as error:
                failure = Failure.of(error)
            else:
                break
            if self._met_odd_key(failure):
                break
            if last != before:
                retries = Retries(self.options)
            is_final = not failure.passing or (last is not None and not self.lists_in_order)
            if is_final or not self._pause(retries, failure, path):
                raise self._error(failure, path[len(self.prefix) :] or None, hint) from None
        if self._odd.are_there:
            for page in self._own_pages(path, after=last or ""):
                yield from page.objects

    def _check_lists_nothing(self, prefix: str) -> None:
        """Distinguish an empty prefix from a server that answers every request with a page of its own.

        obstore takes every page for an empty listing. A service that reports "not found" for a key is a real one.
        """
        try:
            if self._place_seen or self.get(f"{prefix}zarr.json") is None:
                return
        except AccessDeniedError:  # credentials with permission only to list
            return
        raise BrokenBodyError(
            f"{self.url}: the server does not implement the API of {self.service}", url=self.url
        )

    def list_dir(self, prefix: str) -> Iterator[StoreEntry]:
        check_path_like_prefix(prefix, self.url)
        path = self.prefix + prefix
        # A request for the direct children returns all of them at once, half a kilobyte per key.
        # So all keys are listed page by page instead, until that turns out to be more work.
        if prefix not in self._mixed:
            entries = self.list_prefix(prefix)
            head = [*islice(entries, PAGE)]
            if is_streamable(head, prefix):
                self._place_seen = True
                yield from self._direct(chain(head, entries), prefix)
                return
            self._mixed.update(mixed_prefixes(prefix, head[-1].key))
        found = self._listed_dir(path)
        self._place_seen = True
        yield from self._prefixes(found, path)
        for facts in found["objects"]:
            entry = self._entry(facts, path)
            # obstore lists folder markers together with their content: only direct children count.
            if entry is not None and "/" not in entry.key[len(prefix) :]:
                yield entry

    def _direct(self, entries: Iterable[StoreEntry], prefix: str) -> Iterator[StoreEntry]:
        """The entries directly under ``prefix``, from a listing of everything that begins with it."""
        seen: set[str] = set()
        for entry in entries:
            name, slash, _ = entry.key[len(prefix) :].partition("/")
            if not slash and entry.size == 0 and self.stat(entry.key) is None:
                slash = "/"  # an empty object "a/", which marks a folder and is listed as "a"
            if not slash:
                yield entry
            elif name not in seen:
                seen.add(name)
                yield StoreEntry(f"{prefix}{name}/")

    def has_prefix(self, prefix: str) -> bool:
        check_path_like_prefix(prefix, self.url)
        path = self.prefix + prefix
        # One key is enough here, but list_dir returns its first entry only after its last page.
        if any(self._entry(facts, path) for facts in self._objects(path, 1)):
            return True
        self._check_lists_nothing(prefix)
        return False

    def _prefixes(self, found: Any, path: str) -> Iterator[StoreEntry]:
        """The prefixes below ``path``; services may name others."""
        for name in found["common_prefixes"]:
            if name.startswith(path) and len(name) > len(path):
                yield StoreEntry(name[len(self.prefix) :] + "/")

    def skipped_keys(self) -> list[str]:
        return [key[len(self.prefix) :] for key in self._odd.names if key.startswith(self.prefix)]

    def _listed_dir(self, path: str) -> Any:
        """obstore's facts about what is directly below ``path``, without keys that are no paths."""
        if not self._odd.are_there:
            found = self._asked(path, lambda client: client.list_with_delimiter(path or None))
            if isinstance(found, Failure):
                if not self._met_odd_key(found):
                    raise self._error(found, path[len(self.prefix) :] or None)
            elif path or not self._begin_with_slash():
                return found
        pages = [*self._own_pages(path, delimiter="/")]
        return {
            "common_prefixes": [name for page in pages for name in page.prefixes],
            "objects": [facts for page in pages for facts in page.objects],
        }

    def _met_odd_key(self, failure: Failure) -> bool:
        """Whether obstore refused a page for a key that is no path, so that the bucket must be listed without it.

        Raises:
            StoreError: this service can only be listed by obstore.
        """
        if failure.name != "InvalidPathError" or "object with invalid path" not in failure.text:
            return False
        if self._own_listing() is None:
            raise StoreError(
                f"{self.url} cannot be listed, because it has a key that is not a path: {failure.text}; "
                "rename or delete that key",
                url=self.url,
            )
        self._odd.are_there = True
        return True

    def _begin_with_slash(self) -> bool:
        """Whether keys of the bucket begin with ``/``, which obstore shows without it. Asked once."""
        if self._odd.are_there is None:
            listing = self._own_listing()
            page = None if listing is None else next(self._failing_as_ours(listing.pages("/", most=1)))
            self._odd.are_there = page is not None and any(
                facts["path"].startswith("/") for facts in page.objects
            )
        return self._odd.are_there

    def _own_pages(self, path: str, *, delimiter: str = "", after: str = "") -> Iterator[Page]:
        listing = self._own_listing()
        if listing is not None:
            for page in self._failing_as_ours(listing.pages(path, delimiter=delimiter, after=after)):
                yield self._odd.without(page)
        self._odd.report()

    def _failing_as_ours(self, pages: Iterator[Page]) -> Iterator[Page]:
        try:
            yield from pages
        except FailedListingError as error:
            raise self._error(error.failure, None) from None

    def _own_listing(self) -> S3Listing | None:
        """Lists the bucket without obstore, if this service can be."""
        return None

    def _entry(self, facts: Any, path: str) -> StoreEntry | None:
        name: str = facts["path"]
        if not name.startswith(path):
            return None
        modified_s = facts["last_modified"].timestamp()
        return StoreEntry(name[len(self.prefix) :], facts["size"], modified_s, facts["e_tag"])

    def _client(self) -> Any:
        ForkGuard.check(self.url)
        client = self._made
        if client is None:
            with self._lock:
                if self._made is None:
                    self._made = self._new_client(no_repeats())
                client = self._made
        return client

    def _new_client(self, repeats: RetryConfig) -> Any:
        try:
            return self._make_client(repeats)
        except obstore_errors() as error:
            if isinstance(error, StoreError):
                raise
            raise unusable(error, self.url) from None

    def _check_absent(self, failure: Failure, key: str) -> None:
        """Return if the key is absent, otherwise raise the matching error."""
        if failure.absent:
            self._place_seen = True
        elif not (failure.status == 403 and self.options.treat_403_as_missing):
            # Without its cause, whose text may contain a signed URL.
            raise self._error(failure, key) from None

    def _error(self, failure: Failure, key: str | None, hint: str = "") -> StoreError:
        if failure.expired:
            self._made = None  # the next request looks for newer credentials
        shown = key if key is None or key.isprintable() else repr(key)
        what = f"{shown} in {self.url}" if shown else self.url
        return failure.error(what, key, self.url, service=self.service, hint=hint or self._hint())


def stat_of(facts: Any) -> StoreStat:
    """obstore's facts about a value; obstore sets a missing date to the epoch."""
    return StoreStat(facts["size"], facts["last_modified"].timestamp() or None, facts["e_tag"])
