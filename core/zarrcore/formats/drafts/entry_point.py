"""The entry point of a hierarchy in the drafts of 2019-06 to 2022-12: ``zarr.json``, which says how the rest is stored.

Draft of 16 October 2020, "Entry point metadata"; of June 2019, "Bootstrap metadata". How ``metadata_encoding`` is told, and
where ``metadata_key_suffix`` stands, tells the drafts from one another. The "URI" of a draft never was an address to fetch.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata import JsonObject
from zarrcore.metadata.json_document import describe

CORE_URI = re.compile(r"https?://purl\.org/zarr/spec/(protocol/)?core/3\.[0-9]+(/dev)?")
"""What ``zarr_format`` says. A reader may take any 3.x for what it knows, as the texts say."""

_JSON_URI = re.compile(r"https?://purl\.org/zarr/spec/metadata/json/3\.[0-9]+|https?://.*/rfc8259/?")
_MIME_TYPE = "application/json"


class Form(Enum):
    """How an entry point tells the encoding of the other documents, by the draft that did so first."""

    MIME_TYPE = auto()
    """``application/json`` (June 2019)."""
    JSON_URI = auto()
    """An address that stands for JSON (August 2020)."""
    CORE_URI = auto()
    """The address of the core specification itself (September 2020)."""
    SUFFIX = auto()
    """The same, with a ``metadata_key_suffix`` beside it (October 2020)."""
    OBJECT = auto()
    """An object, which has the suffix in it (December 2022)."""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """What an entry point tells that matters to a reader."""

    form: Form
    """Which draft it follows."""
    suffix: str = ""
    """What the keys of documents end with."""
    ignored: tuple[str, ...] = ()
    """Extensions that we do not know, and that may be ignored."""


def is_entry_point(document: JsonObject) -> bool:
    """Whether a ``zarr.json`` is that of a draft, as far as its ``zarr_format`` tells."""
    uri = document.get("zarr_format")
    return isinstance(uri, str) and CORE_URI.fullmatch(uri) is not None


def form_of(document: JsonObject) -> Form:
    """Which draft an entry point follows; one that follows none is taken for the one that most follow."""
    encoding = document.get("metadata_encoding")
    if isinstance(encoding, dict):
        return Form.OBJECT
    if "metadata_key_suffix" not in document and isinstance(encoding, str):
        if encoding == _MIME_TYPE:
            return Form.MIME_TYPE
        if _JSON_URI.fullmatch(encoding):
            return Form.JSON_URI
        if CORE_URI.fullmatch(encoding):
            return Form.CORE_URI
    return Form.SUFFIX


def parse_entry_point(document: JsonObject) -> EntryPoint:
    """What a ``zarr.json`` tells.

    Raises:
        MetadataError: a member is missing or broken.
        UnsupportedError: documents that are no JSON, or an extension that must be understood.
    """
    if not is_entry_point(document):
        raise MetadataError(
            f"expected the URI of the core specification, found {describe(document.get('zarr_format'))}",
            member="zarr_format",
        )
    form = form_of(document)
    suffix = ""
    if form is Form.OBJECT:
        suffix = _suffix(document["metadata_encoding"], "metadata_encoding.")
        _check_json(document["metadata_encoding"].get("type"), ("json",), "metadata_encoding.type")
    elif form is Form.SUFFIX:
        suffix = _suffix(document, "")
        _check_json(document.get("metadata_encoding"), (_MIME_TYPE,), "metadata_encoding")
    return EntryPoint(form, suffix, ignored_extensions(document))


def _suffix(container: JsonObject, where: str) -> str:
    suffix = container.get("metadata_key_suffix", ".json")
    if not isinstance(suffix, str) or "/" in suffix or "\0" in suffix:
        raise MetadataError(
            f"expected the end of a key, found {describe(suffix)}", member=f"{where}metadata_key_suffix"
        )
    return suffix


def _check_json(encoding: Any, known: tuple[str, ...], member: str) -> None:
    if not isinstance(encoding, str):
        raise MetadataError(f"expected a string, found {describe(encoding)}", member=member)
    if encoding not in known and not CORE_URI.fullmatch(encoding) and not _JSON_URI.fullmatch(encoding):
        raise UnsupportedError("metadata encoding", encoding)


def ignored_extensions(document: JsonObject, known: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The extensions that an entry point or an array names, that we do not know, and that may be ignored.

    Args:
        document: whose ``extensions``.
        known: URIs without their version, for instance ``…/extensions/filters``.

    Raises:
        MetadataError: they are told in no known way.
        UnsupportedError: one must be understood.
    """
    ignored = []
    for position, extension in enumerate(extensions_of(document)):
        name, must_understand = extension.get("extension"), extension.get("must_understand", True)
        if not isinstance(name, str):
            raise MetadataError(
                f"expected a URI, found {describe(name)}", member=f"extensions[{position}].extension"
            )
        if not isinstance(must_understand, bool):
            raise MetadataError(
                f"expected true or false, found {describe(must_understand)}",
                member=f"extensions[{position}].must_understand",
            )
        if any(uri in name for uri in known):
            continue
        if must_understand:
            raise UnsupportedError("extension", name, "is not known, and must be understood")
        ignored.append(name)
    return tuple(ignored)


def extensions_of(document: JsonObject) -> list[JsonObject]:
    """The objects in ``extensions``.

    Raises:
        MetadataError: it is no array of objects.
    """
    extensions = document.get("extensions")
    if extensions is None:
        return []
    if not isinstance(extensions, list) or not all(isinstance(item, dict) for item in extensions):
        raise MetadataError(
            f"expected an array of objects, found {describe(extensions)}", member="extensions"
        )
    return extensions
