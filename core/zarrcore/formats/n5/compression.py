"""N5's ``compression`` object and the corresponding codec.

Specification: N5's README, "Compression"; n5-blosc and n5-zstandard. Before version 2, N5 only named the type, in
``compressionType``. zarr-python 2 wrote ``lzma`` with its own codec's parameters if ``xz`` could not express them.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Mapping
from typing import Any

from zarrcore.codecs.parameters import boolean, integer
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.metadata import JsonObject, NamedConfiguration
from zarrcore.metadata.json_document import describe

_SHUFFLE_NAMES = {0: "noshuffle", 1: "shuffle", 2: "bitshuffle"}
_SHUFFLE_NUMBERS = {name: number for number, name in _SHUFFLE_NAMES.items()}
_XZ_PRESET = 6  # of n5-java, and of liblzma


def parse_compression(document: JsonObject) -> NamedConfiguration | None:
    """The codec that compresses a dataset's blocks; None if they are raw.

    Raises:
        MetadataError: it is missing or broken.
        UnsupportedError: an unknown type.
    """
    value = document.get("compression", document.get("compressionType"))
    if isinstance(value, str):
        value = {"type": value}
    if not isinstance(value, dict) or not isinstance(value.get("type"), str):
        raise MetadataError(f"expected an object with a type, found {describe(value)}", member="compression")
    if value["type"] == "raw":
        return None
    read = _READERS.get(value["type"])
    if read is None:
        raise UnsupportedError("compression", value["type"])
    try:
        return read(value)
    except MetadataError as error:
        raise MetadataError(error.reason, member=f"compression.{error.member}") from error


def _gzip(value: Mapping[str, Any]) -> NamedConfiguration:
    name = "numcodecs.zlib" if boolean(value, "useZlib", False) else "gzip"
    level = integer(value, "level", -1, minimum=-1, maximum=9)
    return NamedConfiguration(
        name, {"level": 6 if level == -1 else level}
    )  # -1 is zlib's name for its default


def _zlib(value: Mapping[str, Any]) -> NamedConfiguration:
    return _gzip({**value, "useZlib": True})


def _lzma(value: Mapping[str, Any]) -> NamedConfiguration:
    names = ("format", "check", "preset", "filters")
    return NamedConfiguration("numcodecs.lzma", {name: value[name] for name in names if name in value})


def _bzip2(value: Mapping[str, Any]) -> NamedConfiguration:
    return NamedConfiguration(
        "numcodecs.bz2", {"level": integer(value, "blockSize", 9, minimum=1, maximum=9)}
    )


def _xz(value: Mapping[str, Any]) -> NamedConfiguration:
    preset = integer(value, "preset", _XZ_PRESET, minimum=0, maximum=9)
    return NamedConfiguration(
        "numcodecs.lzma", {"format": lzma.FORMAT_XZ, "check": -1, "preset": preset, "filters": None}
    )


def _lz4(value: Mapping[str, Any]) -> NamedConfiguration:
    return NamedConfiguration("n5_lz4", {"blockSize": integer(value, "blockSize", 1 << 16)})


def _zstd(value: Mapping[str, Any]) -> NamedConfiguration:
    return NamedConfiguration("zstd", {"level": integer(value, "level", 3), "checksum": False})


def _blosc(value: Mapping[str, Any]) -> NamedConfiguration:
    configuration = {
        name: value[name] for name in ("cname", "clevel", "shuffle", "blocksize") if name in value
    }
    if type(shuffle := configuration.get("shuffle")) is int:
        configuration["shuffle"] = _SHUFFLE_NAMES.get(shuffle, shuffle)
    return NamedConfiguration("blosc", configuration)


_READERS: dict[str, Callable[[Mapping[str, Any]], NamedConfiguration]] = {
    "gzip": _gzip,
    "zlib": _zlib,
    "lzma": _lzma,
    "bzip2": _bzip2,
    "xz": _xz,
    "lz4": _lz4,
    "zstd": _zstd,
    "blosc": _blosc,
}


def compression_document(codec: NamedConfiguration | None) -> JsonObject:
    """N5's object for a codec with all its parameters.

    Raises:
        UnsupportedError: N5 does not have the codec.
    """
    if codec is None:
        return {"type": "raw"}
    parameters = codec.configuration
    match codec.name:
        case "gzip" | "numcodecs.zlib":
            return {"type": "gzip", "level": parameters["level"], "useZlib": codec.name != "gzip"}
        case "numcodecs.bz2":
            return {"type": "bzip2", "blockSize": parameters["level"]}
        case "numcodecs.lzma" if parameters["format"] == lzma.FORMAT_XZ and not parameters["filters"]:
            preset = parameters["preset"]
            return {"type": "xz", "preset": _XZ_PRESET if preset is None else preset}
        case "n5_lz4":
            return {"type": "lz4", "blockSize": parameters["blockSize"]}
        case "zstd":
            return {"type": "zstd", "level": parameters["level"]}
        case "blosc":
            shuffle = _SHUFFLE_NUMBERS[parameters["shuffle"]]
            names = ("cname", "clevel", "blocksize")
            return {"type": "blosc", **{name: parameters[name] for name in names}, "shuffle": shuffle}
    raise UnsupportedError("codec", codec.name, "cannot be expressed in N5")


def nearest_compression(codecs: tuple[NamedConfiguration, ...]) -> NamedConfiguration | None:
    """The first of the codecs that N5 has, with the parameters that N5 can express.

    Raises:
        MetadataError: a parameter that the codec does not have.
    """
    for codec in codecs:
        given = codec.configuration
        match codec.name:
            case "gzip" | "numcodecs.gzip" | "numcodecs.zlib" | "numcodecs.bz2" | "blosc" | "numcodecs.blosc":
                return codec
            case "zstd" | "numcodecs.zstd":
                return NamedConfiguration("zstd", {"level": given["level"]} if "level" in given else {})
            case "numcodecs.lz4" | "n5_lz4":
                return NamedConfiguration("n5_lz4", {"blockSize": given.get("blockSize", 1 << 16)})
            case "numcodecs.lzma":
                preset = integer({"preset": given.get("preset") or _XZ_PRESET}, "preset")
                return _xz({"preset": preset & 0x1F})
    return None
