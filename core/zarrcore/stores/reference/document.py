"""Reference documents in JSON, versions 0 and 1, parsed while they are read.

A document may be larger than the memory that its references need: of most entries only numbers are kept. Runs of such entries
are recognized by one regular expression; everything else is parsed value by value.

Specification: https://fsspec.github.io/kerchunk/spec.html
"""

from __future__ import annotations

import base64
import binascii
import codecs
import json
import re
import zlib
from collections.abc import Iterator
from typing import Any, Final

from zarrcore.errors import StoreError
from zarrcore.printable import json_fault
from zarrcore.stores.reference.index import NUMBERS, Found, Reference, ReferenceIndex, TooManyError
from zarrcore.stores.reference.templates import TemplateError, Templates, generated

GZIP: Final = b"\x1f\x8b"
ZSTD: Final = b"\x28\xb5\x2f\xfd"
MAX_TEXT_NBYTES: Final = 8 << 30
_MAX_VALUE: Final = 64 << 20
_PIECE_NBYTES: Final = 1 << 20
_MAX_OFFSET: Final = 1 << 62
_ENTRY: Final = (
    rf'[ \t\r\n]*"((?:[^"\\/]*/){{0,32}}?)({NUMBERS})"[ \t\r\n]*:[ \t\r\n]*\[[ \t\r\n]*"([^"\\]*)"[ \t\r\n]*'
    r"(?:,[ \t\r\n]*(\d{1,18})[ \t\r\n]*,[ \t\r\n]*(\d{1,18})[ \t\r\n]*)?\][ \t\r\n]*,"
)
_ENTRIES: Final = re.compile(_ENTRY, re.ASCII)
# An atomic group, since Python before 3.11.5 goes on after what the last attempt consumed before it failed.
_RUN: Final = re.compile("(?:(?>" + re.sub(r"\((?!\?)", "(?:", _ENTRY.replace(r"\(", "")) + "))*+", re.ASCII)
_SPACE: Final = re.compile(r"[ \t\r\n]*")
_DECODER: Final = json.JSONDecoder()
_scanstring: Final = json.decoder.scanstring  # type: ignore[attr-defined]  # the part of it that reads one string


def decompressed(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The bytes of a document that may be compressed by gzip or zstd, piece by piece.

    Raises:
        ValueError: they are broken.
    """
    head = b""
    while len(head) < 4 and (piece := next(pieces, b"")):
        head += piece
    if head.startswith(ZSTD):
        yield from _unzstd(head, pieces)
    elif head.startswith(GZIP):
        yield from _gunzip(head, pieces)
    else:
        yield head
        yield from pieces


def _gunzip(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    stream = zlib.decompressobj(31)
    data = head
    try:
        while data:
            yield stream.decompress(data, _PIECE_NBYTES)
            data = stream.unconsumed_tail
            if stream.eof:
                data = stream.unused_data or next(pieces, b"")
                if data:  # another member follows
                    stream = zlib.decompressobj(31)
            elif not data:
                data = next(pieces, b"")
    except zlib.error as error:
        raise ValueError(f"it is not compressed as gzip demands ({error})") from error
    if not stream.eof:
        raise ValueError("it breaks off")


def _unzstd(head: bytes, pieces: Iterator[bytes]) -> Iterator[bytes]:
    import zstandard

    class Source:
        """The pieces as a file."""

        left = head

        def read(self, size: int = -1) -> bytes:
            piece, self.left = self.left or next(pieces, b""), b""
            return piece

    try:
        reader = zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(
            Source(),  # type: ignore[arg-type]  # it only reads
            read_across_frames=True,
        )
        while piece := reader.read(_PIECE_NBYTES):
            yield piece
    except zstandard.ZstdError as error:
        raise ValueError(f"it is not compressed as zstd demands ({error})") from error


class _Text:
    """The text of a document, of which a part is in memory."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self._pieces = pieces
        self._decode = codecs.getincrementaldecoder("utf-8-sig")()
        self._held = ""
        self._nbytes = 0
        self.buffer = ""
        self.at = 0
        self.is_complete = False

    def more(self) -> None:
        """Read on: at least as much as is left, so that repeated attempts at a long value cost little."""
        left = self.buffer[self.at :]
        if len(left) > _MAX_VALUE:
            raise ValueError(f"one of its values has more than {_MAX_VALUE >> 20} MiB, or is not JSON")
        parts, wanted = [left], max(_PIECE_NBYTES, len(left))
        while wanted > 0 and not self.is_complete:
            piece = next(self._pieces, None)
            self._nbytes += len(piece or b"")
            if self._nbytes > MAX_TEXT_NBYTES:
                raise ValueError(f"it has more than {MAX_TEXT_NBYTES >> 30} GiB")
            text = self._held + self._decode.decode(piece or b"", final=piece is None)
            self.is_complete = piece is None
            self._held = ""
            # One that begins an escape waits for the rest; two are a whole one.
            if (len(text) - len(text.rstrip("\\"))) % 2 and not self.is_complete:
                text, self._held = text[:-1], "\\"
            if "\\/" in text and "\\\\" not in text:  # some writers escape all slashes
                text = text.replace("\\/", "/")
            parts.append(text)
            wanted -= len(text)
        self.buffer, self.at = "".join(parts), 0

    def skip(self) -> str:
        """Skip white space; the next character, or "" at the end."""
        while True:
            match = _SPACE.match(self.buffer, self.at)
            self.at = match.end() if match else self.at
            if self.at < len(self.buffer):
                return self.buffer[self.at]
            if self.is_complete:
                return ""
            self.more()

    def expect(self, characters: str) -> str:
        found = self.skip()
        if not found or found not in characters:
            wanted = " or ".join(repr(character) for character in characters)
            raise ValueError(f"expected {wanted}, found {found!r}" if found else "it breaks off")
        self.at += 1
        return found

    def name(self) -> str:
        """The name of a member, and the colon after it."""
        self.expect('"')
        name: str = self._complete(lambda: _scanstring(self.buffer, self.at, True))
        self.expect(":")
        return name

    def value(self) -> Any:
        """Any value."""
        self.skip()
        return self._complete(lambda: _DECODER.raw_decode(self.buffer, self.at))

    def _complete(self, parse: Any) -> Any:
        while True:
            try:
                value, end = parse()
                # A number that ends with the buffer may go on.
                if end < len(self.buffer) or self.is_complete:
                    self.at = end
                    return value
            except RecursionError as error:
                raise ValueError("its values are nested too deep") from error
            except ValueError:
                if self.is_complete:
                    raise
            self.more()


def parse_references(pieces: Iterator[bytes], url: str) -> ReferenceIndex:
    """The references of a document.

    Args:
        pieces: its bytes.
        url: to name it in errors.

    Raises:
        StoreError: it is not a reference document, or too large.
    """
    try:
        return _parsed(_Text(decompressed(pieces)))
    except StoreError:
        raise
    except RecursionError as error:
        raise StoreError(f"{url} is not a reference document: it is nested too deep", url=url) from error
    except (ValueError, TemplateError, TooManyError) as error:
        raise StoreError(f"{url} is not a reference document: {json_fault(error)}", url=url) from error


def _parsed(text: _Text) -> ReferenceIndex:
    header: dict[str, Any] = {}
    top, below = ReferenceIndex(), ReferenceIndex()
    if not text.skip():
        raise ValueError("the file is empty")
    text.expect("{")
    _scan(text, top, header, below)
    if text.skip():
        raise ValueError("something follows its end")
    version = header.get("version", 1 if "refs" in header or "gen" in header else None)
    if version is None:
        top.finish()
        return top
    if version != 1 or isinstance(version, bool):
        raise ValueError(f"its version is {str(version)[:40]}; known are 0 and 1")
    templates = Templates(header.get("templates") or {})
    rendered = {
        target: templates.render(target)
        for target in below.unfinished_urls
        if "{{" in target and header.get("templates")
    }
    for key, target, start, nbytes in generated(header.get("gen") or [], templates):
        below.add(key, Reference(target, start or 0, nbytes))
    below.finish(rendered)
    return below


def _scan(
    text: _Text,
    index: ReferenceIndex,
    header: dict[str, Any] | None = None,
    below: ReferenceIndex | None = None,
) -> None:
    """Add the members of an object, from its first to its end. At the top, header and references are told apart."""
    if text.skip() == "}":
        text.at += 1
        return
    while True:
        run = _RUN.match(text.buffer, text.at)
        if run is not None and run.end() > text.at:
            index.add_chunks(_ENTRIES.findall(text.buffer, text.at, run.end()))
            text.at = run.end()
        name = text.name()
        if header is not None and below is not None and name == "refs" and text.skip() == "{":
            text.at += 1
            header[name] = True
            _scan(text, below)
        elif header is not None and name in ("version", "templates", "gen"):
            header[name] = text.value()
        else:
            index.add(name, _found(name, text.value()))
        if text.expect(",}") == "}":
            return


def _found(key: str, value: Any) -> Found:
    match value:
        case str() if value.startswith("base64:"):
            try:
                return base64.b64decode("".join(value[7:].split()), validate=True)
            except (binascii.Error, ValueError) as error:
                raise ValueError(f"the value of {key[:60]!r} is not base64") from error
        case str():
            try:
                return value.encode()
            except UnicodeEncodeError as error:
                raise ValueError(f"the value of {key[:60]!r} has half a surrogate pair") from error
        case dict():
            return json.dumps(value).encode()
        case [str() as target]:
            return Reference(target, 0, None)
        case [str() as target, int() as start, int() as nbytes] if (
            type(start) is type(nbytes) is int and 0 <= start < _MAX_OFFSET and 0 <= nbytes < _MAX_OFFSET
        ):
            return Reference(target, start, nbytes)
    raise ValueError(
        f"the value of {key[:60]!r} is neither a text, nor an object, nor [url], nor [url, offset, length]"
    )
