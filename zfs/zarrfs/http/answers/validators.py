"""What shows a client that its copy is still right: ETag, Last-Modified, and the headers that compare them.

The bytes of a key and of a document have a strong ETag. Decoded elements span many keys, and no request shows at once whether all
of these are the same. So their ETag is weak: it stays the same for a share of the metadata time to live, as long as
the metadata stay the same. A copy of a client is thus never older than the time to live permits. RFC 9110, sections 8.8 and 13.
"""

from __future__ import annotations

import math
import re
import secrets
from dataclasses import dataclass
from datetime import UTC
from email.utils import formatdate, parsedate_to_datetime
from typing import Final

import xxhash

from zarrfs.http.answers.rows import shown_time
from zarrfs.trees.entry import Content, File, OpenFile
from zarrfs.trees.freshness import Freshness

_TAG: Final = re.compile(r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"')
_PROCESS: Final = secrets.token_hex(8)
"""Makes the ETags of decoded elements differ from those of an earlier server, whose time began elsewhere."""


@dataclass(frozen=True, slots=True)
class Validators:
    """The validators of one file."""

    etag: str | None = None
    """The entity tag with its quotes; None if nothing shows whether the content is the same."""
    modified_s: int | None = None
    """When a key was stored, in seconds since the epoch; None if that is not known, and for what is made of several keys."""

    def headers(self) -> dict[str, str]:
        """``ETag`` and ``Last-Modified``."""
        known = {} if self.etag is None else {"etag": self.etag}
        if self.modified_s is not None:
            known["last-modified"] = formatdate(self.modified_s, usegmt=True)
        return known

    def is_unchanged(self, if_none_match: str | None, if_modified_since: str | None) -> bool:
        """Whether the client has this content already (304): the values of two headers of its request."""
        if if_none_match is not None:
            return _names(if_none_match, self.etag)
        known_s = _seconds(if_modified_since)
        return known_s is not None and self.modified_s is not None and self.modified_s <= known_s

    def meets(self, if_match: str | None, if_unmodified_since: str | None) -> bool:
        """Whether the conditions of a request hold (otherwise 412): the values of two of its headers."""
        if if_match is not None:
            return if_match.strip() == "*" or (self._is_strong and self.etag in _TAG.findall(if_match))
        known_s = _seconds(if_unmodified_since)
        return known_s is None or self.modified_s is None or self.modified_s <= known_s

    def permits_range(self, if_range: str | None) -> bool:
        """Whether a part of this content fits to the parts that the client has: the value of ``If-Range``."""
        # A date is not strong: a value may have been stored twice in one second.
        return if_range is None or (self._is_strong and if_range.strip() == self.etag)

    @property
    def _is_strong(self) -> bool:
        return self.etag is not None and not self.etag.startswith("W/")


def validators(name: str, entry: File, opened: OpenFile, freshness: Freshness) -> Validators:
    """The validators of an open file; no chunk is read for them.

    Args:
        name: the path of the file.
        entry: the file.
        opened: the same, open.
        freshness: how long the server may repeat an answer.
    """
    if opened.caching.pages_expire:
        return Validators(_tag_of_elements(name, entry, opened, freshness))
    if isinstance(opened, Content):
        content = opened.read(0, opened.size, wait=False)
        return Validators(f'"{xxhash.xxh3_128_hexdigest(content)}"')
    time_s = shown_time(entry.mtime_s)
    modified_s = None if time_s is None else math.floor(time_s)
    return Validators(None if opened.version is None else _tag(name, opened.version), modified_s)


def _tag_of_elements(name: str, entry: File, opened: OpenFile, freshness: Freshness) -> str | None:
    numbered = entry.numbered
    version = opened.version if numbered is None else repr(numbered[0].key)
    if version is None or freshness.ttl_s == 0:
        return None
    if math.isinf(freshness.ttl_s):
        return _tag(name, version, str(freshness.generation), _PROCESS)
    period = math.floor(freshness.now() / freshness.ttl_s)
    return "W/" + _tag(name, version, str(freshness.generation), _PROCESS, str(period))


def _tag(*parts: str) -> str:
    return f'"{xxhash.xxh3_128_hexdigest(repr(parts).encode("utf-8", "surrogatepass"))}"'


def _names(header: str, etag: str | None) -> bool:
    """Whether a list of entity tags has this one, strong or weak; ``*`` has any."""
    if header.strip() == "*":
        return True
    return etag is not None and etag.removeprefix("W/") in (
        tag.removeprefix("W/") for tag in _TAG.findall(header)
    )


def _seconds(date: str | None) -> float | None:
    try:
        parsed = None if date is None else parsedate_to_datetime(date)
        # A date without a zone, as asctime writes it, is in UTC.
        return None if parsed is None else parsed.replace(tzinfo=parsed.tzinfo or UTC).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
