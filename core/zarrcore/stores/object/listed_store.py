"""The keys of a bucket, listed by our own requests where these are possible, otherwise by obstore."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, islice
from typing import Any, ClassVar, Final

from zarrcore.errors import AccessDeniedError, BrokenBodyError, StoreError
from zarrcore.stores.connection.clients import WHOLE_TRANSFER, ForkGuard
from zarrcore.stores.connection.failures import Failure, request_errors
from zarrcore.stores.connection.reader import Reader
from zarrcore.stores.connection.retries import Retries
from zarrcore.stores.http.client import WebClient
from zarrcore.stores.interface import ListableStore, StoreEntry
from zarrcore.stores.keys import check_path_like_prefix
from zarrcore.stores.object.listing import OBJECTS_AT_ONCE, PAGE, is_streamable, listed, mixed_prefixes
from zarrcore.stores.object.odd_keys import OddKeys
from zarrcore.stores.object.own_requests import Access, FailedListingError, Listing, Page, with_an_end
from zarrcore.stores.object.s3_listing import S3Listing
from zarrcore.stores.object.store import ObstoreStore
from zarrcore.stores.options import StoreOptions

_RETRIED_S: Final = 60.0
"""How long values are read by obstore if there were no keys for our own requests."""
_RENEWED_BEFORE_S: Final = 60.0
"""How long before their end keys are renewed."""
_RENEWED_AFTER_S: Final = 10.0
"""How long keys are used at least, even if they end soon: a program may give keys that do."""

_ERROR: Final = "XML without an ETag, perhaps an error", "check the endpoint, or try again"
_PAGES: Final = {
    "text/html": ("a web page, perhaps one to log in", "sign in, or check the endpoint"),
    "application/xml": _ERROR,
    "text/xml": _ERROR,
}
"""Content types that only a value with an etag may have; otherwise, what the answer is, and what to do."""


class ListedStore(ObstoreStore, ListableStore):
    """Values and keys read through obstore.

    Args:
        place: as `ObstoreStore`.
        prefix: as `ObstoreStore`.
        options: as `ObstoreStore`.
    """

    lists_flat = True
    lists_itself: bool = False
    """Whether it is listed by our own requests wherever these are possible, not only if it has keys that are not paths."""
    headers: ClassVar[Mapping[str, str]] = {}
    """To send with requests that read, in addition to those of the options."""
    lists_in_order: bool = True
    """Whether listings are sorted, so that one that broke off can continue."""

    def __init__(self, place: str, prefix: str, options: StoreOptions) -> None:
        super().__init__(place, prefix, options)
        self._mixed: set[str] = set()
        self._may_list: bool | None = None
        self._odd = OddKeys(self.url)
        self._accessing: tuple[float, Access | None] | None = None
        self._lister: Listing | None = None
        self._reading: tuple[Access, Reader] | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_accessing": None, "_lister": None, "_reading": None}

    def close(self) -> None:
        super().close()
        made, self._lister, self._reading = self._lister, None, None
        if made is not None:
            made.web.close()

    def _renew(self) -> None:
        super()._renew()
        self._accessing = None

    def _check_head(self, answer: Any, path: str) -> None:
        """Refuse the page of another server, perhaps one to log in to a network, and an error with the status of a value.

        Services state an etag of each value.
        """
        if answer.meta["e_tag"] is not None:
            return
        kind = answer.attributes.get("Content-Type", "")
        page = next((page for start, page in _PAGES.items() if kind.startswith(start)), None)
        if page is not None:
            key = path[len(self.prefix) :]
            raise BrokenBodyError(
                f"{key} in {self.url}: the answer is {page[0]}, and not one of {self.service}: {page[1]}",
                key=key,
                url=self.url,
            )

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

    def _objects(self, path: str, at_once: int = OBJECTS_AT_ONCE, hint: str = "") -> Iterator[Any]:
        """obstore's facts of each object whose path begins with ``path``, without keys that are not paths.

        A listing that breaks off continues after the last object that arrived.

        Raises:
            StoreError: the service refused, failed, or lists without end.
        """
        last: str | None = None
        retries, is_mended = Retries(self.options, self.url), False
        while not self._listed_by_us:
            before, mendings = last, self._mendings
            try:
                for facts in listed(self._client(), path, self.url, self.options.timeout_s, at_once, last):
                    if not path and last is None and self._begin_with_slash():
                        break
                    last = facts["path"]
                    self._place_seen = True
                    yield facts
            except StoreError:
                raise
            except request_errors() as error:
                failure = Failure.of(error)
            else:
                break
            if self._met_odd_key(failure):
                break
            if last != before:
                retries = Retries(self.options, self.url)
            is_final = last is not None and not self.lists_in_order
            if not is_final and not is_mended and self._mends(failure, mendings):
                is_mended = True
                continue
            last_failure = failure if is_final else self._last(retries, failure, path)
            if last_failure is not None:
                raise self._error(last_failure, path[len(self.prefix) :] or None, hint) from None
        if self._listed_by_us:
            for page in self._own_pages(
                path, after=last or "", most=at_once if at_once == 1 else 0, hint=hint
            ):
                yield from page.objects

    @property
    def _listed_by_us(self) -> bool:
        return self._odd.are_there or (self.lists_itself and self._listing() is not None)

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
        if self._listed_by_us:
            yield from self._listed_in_pages(path)
            return
        if prefix not in self._mixed:
            entries = self.list_prefix(prefix)
            head = [*islice(entries, PAGE)]
            if is_streamable(head, prefix):
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

    def _listed_in_pages(self, path: str) -> Iterator[StoreEntry]:
        """What is directly below ``path``, page by page."""
        is_empty, seen = True, set[str]()
        for page in self._own_pages(path, delimiter="/"):
            for name in page.prefixes:
                if name.startswith(path) and len(name) > len(path):
                    is_empty = False
                    yield StoreEntry(name[len(self.prefix) :] + "/")
            for facts in page.objects:
                entry = self._entry(facts, path)
                if entry is None:
                    continue  # a marker of the folder itself
                is_empty = False
                name, slash, _ = facts["path"][len(path) :].partition("/")
                if not slash:
                    yield entry
                elif name not in seen:  # some services ignore the wish for names of one level
                    seen.add(name)
                    yield StoreEntry(entry.key[: len(path) - len(self.prefix)] + name + "/")
        if is_empty:
            self._check_lists_nothing(path[len(self.prefix) :])

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

    def _hint_at(self, failure: Failure, key: str | None) -> str:
        """Advice, with the option for absent keys if the bucket may not be listed: then a service hides which exist."""
        hint = self._hint()
        is_value = key is not None and not key.endswith("/")
        if (
            is_value
            and failure.may_mean_absent
            and not self.options.treat_403_as_missing
            and self._hides_absence()
        ):
            hint += (
                "; or the key is absent, which the service does not say to those who may not list "
                "(--treat-403-as-missing, treat_403_as_missing=True in Python)"
            )
        return hint

    def _hides_absence(self) -> bool:
        """Whether listing is denied, too."""
        if self._may_list is None:
            try:
                next(iter(self.list_dir("")), None)
                self._may_list = True
            except AccessDeniedError:
                self._may_list = False
            except StoreError:  # nothing is known; many denied keys must not make many such requests
                self._may_list = True
        return not self._may_list

    def skipped_keys(self) -> list[str]:
        return [key[len(self.prefix) :] for key in self._odd.names if key.startswith(self.prefix)]

    def _listed_dir(self, path: str) -> Any:
        """obstore's facts about what is directly below ``path``, without keys that are not paths."""
        found = self._asked(path, lambda client: client.list_with_delimiter(path or None))
        if isinstance(found, Failure) and not self._met_odd_key(found):
            raise self._error(found, path[len(self.prefix) :] or None)
        if not isinstance(found, Failure) and (path or not self._begin_with_slash()):
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
        if self._listing() is None:
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
            listing = self._listing()
            try:
                page = None if listing is None else next(listing.pages("/", most=1))
            except FailedListingError:
                page = None  # obstore can list it, which is what counts
            self._odd.are_there = page is not None and any(
                facts["path"].startswith("/") for facts in page.objects
            )
        return self._odd.are_there

    def _own_pages(
        self, path: str, *, delimiter: str = "", after: str = "", most: int = 0, hint: str = ""
    ) -> Iterator[Page]:
        listing = self._listing()
        if listing is None:
            return
        pages = listing.pages(path, delimiter=delimiter, after=after, most=most)
        try:
            for page in with_an_end(pages, self.url, self.options.timeout_s * WHOLE_TRANSFER):
                self._place_seen = self._place_seen or bool(page.objects or page.prefixes)
                yield self._odd.without(page)
        except FailedListingError as error:
            self._accessing = None  # perhaps the keys have changed
            raise self._error(error.failure, path[len(self.prefix) :] or None, hint) from None
        self._odd.report()

    def _listing(self) -> Listing | None:
        """Lists the bucket without obstore, if that is possible."""
        access = self._access()
        if access is None:
            return None
        with self._lock:
            made = self._lister
            if made is None or made.access is not access:
                made = self._lister = self._list_by(access, WebClient(access.address, access.options, {}))
        made.web.has_answered = made.web.has_answered or self._place_seen
        return made

    def _reader(self) -> Any:
        ForkGuard.check(self.url)
        access = self._access()
        if access is None:
            return self._client()
        made = self._reading
        if made is None or made[0] is not access:
            with self._lock:  # opening asks by many threads at once, and each client reads all certificates
                made = self._reading
                if made is None or made[0] is not access:
                    reader = Reader(access.address, access.options, access.request, self.headers)
                    made = self._reading = access, reader
        return made[1]

    def _access(self) -> Access | None:
        """`_find_access`, kept until its keys expire: it may start programs that give keys."""
        made = self._accessing
        if made is None or time.time() >= made[0]:
            with self._lock:
                made = self._accessing
                if made is None or time.time() >= made[0]:
                    access = self._find_access()
                    if access is None:
                        end_s = time.time() + _RETRIED_S
                    else:
                        end_s = max(access.ends_s - _RENEWED_BEFORE_S, time.time() + _RENEWED_AFTER_S)
                    made = self._accessing = end_s, access
        return made[1]

    def _list_by(self, access: Any, web: WebClient) -> Listing:
        return S3Listing(access, web, self._renewed)

    def _renewed(self, failure: Failure, used: Access) -> Access | None:
        """How to repeat a request of a listing that was refused; None if it would be refused again."""
        made = self._accessing
        is_current = made is not None and made[1] is used
        return self._access() if self._mends(failure, self._mendings if is_current else -1) else None

    def _find_access(self) -> Access | None:
        """How to request what is in the bucket without obstore, if that is possible."""
        return None

    def _entry(self, facts: Any, path: str) -> StoreEntry | None:
        name: str = facts["path"]
        if not name.startswith(path):
            return None
        modified_s = facts["last_modified"].timestamp()
        return StoreEntry(name[len(self.prefix) :], facts["size"], modified_s, facts["e_tag"])
