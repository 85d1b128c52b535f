"""The entry point of a hierarchy in the drafts of 2019-06 to 2022-12: ``zarr.json``, which defines how the rest is stored.

Draft of 16 October 2020, "Entry point metadata"; of June 2019, "Bootstrap metadata". The form of ``metadata_encoding`` and the
place of ``metadata_key_suffix`` distinguish the drafts. The "URI" of a draft was never an address to fetch.
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
"""The value of ``zarr_format``. By the texts, a reader may read any 3.x."""

_JSON_URI = re.compile(r"https?://purl\.org/zarr/spec/metadata/json/3\.[0-9]+|https?://.*/rfc8259/?")
_MIME_TYPE = "application/json"


class Form(Enum):
    """The forms in which entry points state the encoding of other documents, by the first draft that has each."""

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
    """The content of an entry point that matters to a reader."""

    form: Form
    """The draft that it follows."""
    suffix: str = ""
    """The end of the keys of documents."""
    ignored: tuple[str, ...] = ()
    """Unknown extensions that may be ignored."""


def is_entry_point(document: JsonObject) -> bool:
    """Whether a ``zarr.json`` is that of a draft, by its ``zarr_format``."""
    uri = document.get("zarr_format")
    return isinstance(uri, str) and CORE_URI.fullmatch(uri) is not None


def form_of(document: JsonObject) -> Form:
    """The draft that an entry point follows; if it matches none, the most common one."""
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
    """Parse a ``zarr.json``.

    Raises:
        MetadataError: a member is missing or broken.
        UnsupportedError: documents that are not JSON, or an unknown extension that must be understood.
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
    """The unknown extensions of an entry point or an array that may be ignored.

    Args:
        document: the document with ``extensions``.
        known: known URIs without their version, for instance ``…/extensions/filters``.

    Raises:
        MetadataError: they have no known form.
        UnsupportedError: an unknown extension must be understood.
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
            raise UnsupportedError("extension", name, "is unknown and must be understood")
        ignored.append(name)
    return tuple(ignored)


def extensions_of(document: JsonObject) -> list[JsonObject]:
    """The objects in ``extensions``.

    Raises:
        MetadataError: it is not an array of objects.
    """
    extensions = document.get("extensions")
    if extensions is None:
        return []
    if not isinstance(extensions, list) or not all(isinstance(item, dict) for item in extensions):
        raise MetadataError(
            f"expected an array of objects, found {describe(extensions)}", member="extensions"
        )
    return extensions
