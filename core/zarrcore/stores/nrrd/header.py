"""The header of a NRRD file.

Teem, "Definition of NRRD File Format", NRRD0001 to NRRD0005.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from zarrcore.stores.virtual.file_reader import BrokenFileError

MAX_HEADER_NBYTES: Final = 1 << 20
_MAGIC: Final = re.compile(r"NRRD000([1-5])")
_MAX_NDIM: Final = 16
_MAX_FILES: Final = 1 << 16
_MAX_NAME: Final = 4096

_TYPES: Final = {
    **dict.fromkeys(("signed char", "int8", "int8_t"), "i1"),
    **dict.fromkeys(("uchar", "unsigned char", "uint8", "uint8_t"), "u1"),
    **dict.fromkeys(
        ("short", "short int", "signed short", "signed short int", "int16", "int16_t"),
        "i2",
    ),
    **dict.fromkeys(("ushort", "unsigned short", "unsigned short int", "uint16", "uint16_t"), "u2"),
    **dict.fromkeys(("int", "signed int", "int32", "int32_t"), "i4"),
    **dict.fromkeys(("uint", "unsigned int", "uint32", "uint32_t"), "u4"),
    **dict.fromkeys(
        (
            "longlong",
            "long long",
            "long long int",
            "signed long long",
            "signed long long int",
            "int64",
            "int64_t",
        ),
        "i8",
    ),
    **dict.fromkeys(
        ("ulonglong", "unsigned long long", "unsigned long long int", "uint64", "uint64_t"),
        "u8",
    ),
    "float": "f4",
    "double": "f8",
}
_ENCODINGS: Final = {
    "raw": "raw",
    **dict.fromkeys(("gzip", "gz"), "gzip"),
    **dict.fromkeys(("bzip2", "bz2"), "bzip2"),
    **dict.fromkeys(("txt", "text", "ascii"), "ascii"),
}
_ALIASES: Final = {
    "datafile": "data file",
    "lineskip": "line skip",
    "byteskip": "byte skip",
    "blocksize": "block size",
    "axismins": "axis mins",
    "axismaxs": "axis maxs",
    "centers": "centerings",
    "oldmin": "old min",
    "oldmax": "old max",
    "sampleunits": "sample units",
}
_NUMBERS: Final = ("spacings", "thicknesses", "axis mins", "axis maxs")
_WORDS: Final = ("kinds", "centerings")
_QUOTED: Final = ("labels", "units", "space units")
_VECTORS: Final = ("space directions", "space origin", "measurement frame")
_OF_FILE: Final = (
    "dimension",
    "sizes",
    "endian",
    "encoding",
    "data file",
    "line skip",
    "byte skip",
    "block size",
)
"""Fields that only describe the file."""

_QUOTED_TEXT: Final = re.compile(r'"((?:(?>[^"\\]|\\.))*+)("?)')
"""A text in quotes. One that does not end is read once, too, so that no header takes long."""
_VECTOR: Final = re.compile(r"none|\(([^()]*)\)")
_PATTERN: Final = re.compile(
    r"(.*?)%(0?)([0-9]{0,2})d(.*?)\s+(-?[0-9]+)\s+(-?[0-9]+)\s+(-?[0-9]+)(?:\s+([0-9]+))?"
)
_LIST: Final = re.compile(r"LIST(?:\s+([0-9]+))?")

Vector = tuple[float, ...] | None
"""One of a list of vectors; None if it is said not to exist."""


@dataclass(frozen=True, slots=True)
class NrrdHeader:
    """What a header says, axes in its order: the fastest first."""

    version: int
    nbytes: int
    """The position of what follows it."""
    fields: dict[str, str]
    """By lower-case name."""
    pairs: dict[str, str]
    """Keys and values of the user's."""
    sizes: tuple[int, ...]
    """The lengths of the axes."""
    listed: tuple[str, ...] = ()
    """The lines after ``data file: LIST``."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The data type, with its byte order.

        Raises:
            BrokenFileError: elements of this type cannot be read, or their byte order is not known.
        """
        name = " ".join(self.fields.get("type", "").split())
        if name not in _TYPES:
            raise BrokenFileError(
                f"its elements are of the type {name[:40]!r}, which zarrscope does not read"
            )
        dtype, endian = np.dtype(_TYPES[name]), self.fields.get("endian", "").lower()
        if dtype.itemsize == 1:
            return dtype
        if not endian and self.fields.get("encoding", "").lower() in _ENCODINGS and self.encoding == "ascii":
            return dtype
        if endian not in ("little", "big"):
            raise BrokenFileError("it does not say whether its elements are big or little endian")
        return dtype.newbyteorder(">" if endian == "big" else "<")

    @property
    def encoding(self) -> str:
        """How elements are stored: ``raw``, ``gzip``, ``bzip2`` or ``ascii``.

        Raises:
            BrokenFileError: in another way.
        """
        told = self.fields.get("encoding", "").lower()
        if told not in _ENCODINGS:
            raise BrokenFileError(
                f"its encoding is {told[:40]!r}; zarrscope reads raw, gzip, bzip2 and ascii"
            )
        return _ENCODINGS[told]

    @property
    def data_files(self) -> tuple[str, ...] | None:
        """The names of the files with the elements, each with an equal part along the last axis; None if they are in this one.

        Raises:
            BrokenFileError: they are divided in another way.
        """
        told = self.fields.get("data file")
        if told is None:
            return None
        if len(told) > _MAX_NAME:
            raise BrokenFileError(f"the name of its data file has {len(told):,} characters")
        listed, pattern = _LIST.fullmatch(told), _PATTERN.fullmatch(told)
        if listed:
            names, per_file = self.listed, listed[1]
        elif pattern:
            names, per_file = _numbered(pattern), pattern[8]
        else:
            return (told,)
        ndim, count = len(self.sizes), len(names)
        if per_file not in (None, str(ndim), str(ndim - 1)) or not count or count > _MAX_FILES:
            raise BrokenFileError(f"its elements are in {count:,} files of {per_file or ndim - 1} dimensions")
        if self.sizes[-1] % count or (per_file != str(ndim) and self.sizes[-1] != count):
            raise BrokenFileError(f"its last axis of {self.sizes[-1]:,} elements is in {count:,} files")
        return names

    def skip(self, what: str) -> int:
        """``line skip`` or ``byte skip``.

        Raises:
            BrokenFileError: it is not a number.
        """
        found = _integers(self.fields.get(what, "0"), what)
        if len(found) != 1 or not -1 <= found[0] < 2**62:
            raise BrokenFileError(f"its {what} is {self.fields[what][:40]!r}")
        return found[0]

    def numbers(self, name: str) -> list[float]:
        """One number for each axis; not a number where the field does not state one."""
        words = self.fields.get(name, "").split()
        return (
            [_number(word) for word in words]
            if len(words) == len(self.sizes)
            else [math.nan] * len(self.sizes)
        )

    def words(self, name: str) -> list[str]:
        """One word for each axis; empty where the field does not state one."""
        words = self.fields.get(name, "").split()
        known = ["" if word in ("???", "none") else word for word in words]
        return known if len(words) == len(self.sizes) else [""] * len(self.sizes)

    def quoted(self, name: str, count: int) -> list[str]:
        """The texts in quotes, if there are so many; else empty ones."""
        texts = _quoted_texts(self.fields.get(name, ""))
        return texts if len(texts) == count else [""] * count

    def vectors(self, name: str) -> list[Vector]:
        """Vectors such as ``(1,0,0) none``."""
        matches = _VECTOR.finditer(self.fields.get(name, ""))
        return [None if match[1] is None else tuple(map(_number, match[1].split(","))) for match in matches]

    def shown(self) -> dict[str, Any]:
        """The header as JSON, without fields that only describe the file."""
        told: dict[str, Any] = {"version": self.version}
        for name, text in self.fields.items():
            if name in _NUMBERS:
                told[name] = _finite([_number(word) for word in text.split()])
            elif name in _WORDS:
                told[name] = text.split()
            elif name in _QUOTED:
                told[name] = _quoted_texts(text)
            elif name in _VECTORS:
                vectors = [None if each is None else _finite(each) for each in self.vectors(name)]
                told[name] = vectors[0] if name == "space origin" and vectors else vectors
            elif name not in _OF_FILE:
                told[name] = text
        return told | ({"key_values": self.pairs} if self.pairs else {})


def _quoted_texts(text: str) -> list[str]:
    return [re.sub(r"\\(.)", r"\1", match[1]) for match in _QUOTED_TEXT.finditer(text) if match[2]]


def parse_header(head: bytes, *, is_whole: bool) -> NrrdHeader | None:
    """The header in the first bytes of a file; None if it does not end in them.

    Args:
        head: the bytes.
        is_whole: whether the file has no others: a header alone needs no empty line at its end.

    Raises:
        BrokenFileError: they are not a header.
    """
    end = re.search(rb"\n\r?\n", head)
    if end is None and not is_whole:
        return None
    nbytes = len(head) if end is None else end.end()
    # Fields are ASCII; keys and values may be more.
    first, *lines = [line.rstrip("\r") for line in head[:nbytes].decode("utf-8", "replace").split("\n")]
    magic = _MAGIC.fullmatch(first.rstrip())
    if magic is None:
        raise BrokenFileError("it does not begin with NRRD0001 to NRRD0005")
    fields: dict[str, str] = {}
    pairs: dict[str, str] = {}
    listed: list[str] = []
    for line in lines:
        if _LIST.fullmatch(fields.get("data file", "")):
            listed += [line.strip()] if line.strip() else []
        elif line and not line.startswith("#"):
            _add(line, fields, pairs)
    return NrrdHeader(int(magic[1]), nbytes, fields, pairs, _sizes(fields), tuple(listed))


def _add(line: str, fields: dict[str, str], pairs: dict[str, str]) -> None:
    name, colon, value = line.partition(":")
    if not colon:
        raise BrokenFileError(f"it has the line {line[:40]!r}, which is neither a field nor a key and value")
    if value.startswith("="):
        pairs[name] = re.sub(r"\\([n\\])", lambda match: "\n" if match[1] == "n" else "\\", value[1:])
        return
    name = name.strip().lower()
    fields[_ALIASES.get(name, name)] = value.strip()


def _sizes(fields: dict[str, str]) -> tuple[int, ...]:
    ndim, sizes = (
        _integers(fields.get("dimension", ""), "dimension"),
        _integers(fields.get("sizes", ""), "sizes"),
    )
    if len(ndim) != 1 or not 1 <= ndim[0] <= _MAX_NDIM or len(sizes) != ndim[0] or min(sizes) < 1:
        raise BrokenFileError(
            f"its dimension is {fields.get('dimension', '')[:40]!r} and its sizes are {fields.get('sizes', '')[:80]!r}"
        )
    return sizes


def _numbered(pattern: re.Match[str]) -> tuple[str, ...]:
    before, zero, width, after = pattern[1], pattern[2], int(pattern[3] or 0), pattern[4]
    first, last, step = (int(pattern[group][:20]) for group in (5, 6, 7))
    if step == 0:
        raise BrokenFileError("the numbers of its files have the step 0")
    numbers = range(first, last + (1 if step > 0 else -1), step)
    if not 0 < len(numbers[: _MAX_FILES + 1]) <= _MAX_FILES:
        raise BrokenFileError(f"its files have the numbers {first} to {last}")
    return tuple(f"{before}{str(number).rjust(width, '0' if zero else ' ')}{after}" for number in numbers)


def _integers(text: str, what: str) -> tuple[int, ...]:
    words = text.split()
    if not all(re.fullmatch(r"[+-]?[0-9]{1,20}", word) for word in words):
        raise BrokenFileError(f"its {what} has {text[:40]!r}, which is not a number")
    return tuple(map(int, words))


def _number(word: str) -> float:
    try:
        return float(word)
    except ValueError:
        return math.nan


def _finite(numbers: Sequence[float]) -> list[float | None]:
    """Numbers as JSON: those that are not finite are null."""
    return [number if math.isfinite(number) else None for number in numbers]
