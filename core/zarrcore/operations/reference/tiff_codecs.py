"""Common codecs for tiles and strips of TIFF files, by which other programs decode the chunks that references name.

numcodecs has deflate, zstd and xz. The package imagecodecs registers the others with it. tifffile names the same ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from zarrcore.errors import UnsupportedError
from zarrcore.formats import Format
from zarrcore.late_imports import imported
from zarrcore.metadata import ArrayMetadata, NamedConfiguration
from zarrcore.operations.reference.common_codecs import CommonCodecs

SEGMENT: Final = "tiff.segment"
"""The codec that decodes tiles and strips with the tags of their page."""
_ZLIB: Final = NamedConfiguration("numcodecs.zlib", {"level": 6})
_COMPRESSORS: Final[Mapping[int, NamedConfiguration | None]] = {
    1: None,
    5: NamedConfiguration("imagecodecs_lzw"),
    8: _ZLIB,
    32773: NamedConfiguration("imagecodecs_packbits"),
    32946: _ZLIB,
    34925: NamedConfiguration("numcodecs.lzma"),
    50000: NamedConfiguration("zstd", {"level": 3, "checksum": False}),
}
"""By the tag Compression."""
_JPEG: Final = frozenset({7, 33007, 34892})
_IMAGES: Final[Mapping[int, str]] = {
    **dict.fromkeys(_JPEG, "imagecodecs_jpeg"),
    **dict.fromkeys((33003, 33004, 33005, 34712), "imagecodecs_jpeg2k"),
    **dict.fromkeys((22610, 34934), "imagecodecs_jpegxr"),
    **dict.fromkeys((50002, 52546), "imagecodecs_jpegxl"),
    34933: "imagecodecs_png",
    50001: "imagecodecs_webp",
}
_PREDICTORS: Final[Mapping[int, tuple[str, int]]] = {
    2: ("imagecodecs_delta", 1),
    3: ("imagecodecs_floatpred", 1),
    34894: ("imagecodecs_floatpred", 2),
    34895: ("imagecodecs_floatpred", 4),
}
"""The codec and the distance of the compared samples, by the tag Predictor."""
_PHOTOMETRIC, _EXTRA = 262, 338
_WEBP, _WITH_OPACITY = 50001, 4
_BITS, _COMPRESSION, _FILL_ORDER, _SAMPLES, _PLANES, _PREDICTOR, _FORMAT = 258, 259, 266, 277, 284, 317, 339
_REVERSED_BITS: Final = 2
_SEPARATE: Final = 2
_COMPLEX_INTEGERS: Final = 5


def segment_codecs(metadata: ArrayMetadata, to: Format) -> CommonCodecs:
    """The common codecs of an array whose last codec is that of TIFF segments.

    Raises:
        UnsupportedError: no other program decodes the segments by the names of codecs.
    """
    *before, last = metadata.codecs
    tags = {int(code): numbers for code, numbers in last.configuration["tags"].items()}
    compression, predictor = tags[_COMPRESSION][0], tags[_PREDICTOR][0]
    dtype, is_image = metadata.data_type.dtype, compression in _IMAGES
    are_together = tags.get(_SAMPLES, [1])[0] > 1 and tags.get(_PLANES, [1])[0] != _SEPARATE
    of_all_colours = "whose pixels hold the samples of all colours"
    bits = tags.get(_BITS, [1])
    reasons = {
        f"{of_all_colours}: it would put another dimension last": before and to is Format.V2,
        f"of compression {compression}, for which other programs have no codec": not is_image
        and compression not in _COMPRESSORS,
        "whose bytes have their bits reversed": tags.get(_FILL_ORDER, [1])[0] == _REVERSED_BITS,
        f"of samples of {bits[0]} bits": not is_image and any(n != 8 * dtype.itemsize for n in bits),
        "of complex integers": _COMPLEX_INTEGERS in tags.get(_FORMAT, [1]),
        of_all_colours: are_together and not before and (is_image or predictor != 1),
        "with a predictor of compressed images": is_image and predictor != 1,
    }
    for what, is_so in reasons.items():
        if is_so:
            raise _refused(to, what)
    if is_image:
        plain = NamedConfiguration("bytes", {"endian": "little"})
        return CommonCodecs((*before, plain), _image(compression, last, tags, to))
    elements = _elements(predictor, dtype, last, to, axis=-2 if are_together else -1)
    return CommonCodecs((*before, *elements, *filter(None, [_COMPRESSORS[compression]])))


def _refused(to: Format, what: str) -> UnsupportedError:
    return UnsupportedError("format", to.title, f"cannot describe TIFF images {what}")


def _elements(
    predictor: int, dtype: np.dtype[Any], last: NamedConfiguration, to: Format, *, axis: int
) -> tuple[NamedConfiguration, ...]:
    """How elements become bytes."""
    plain = NamedConfiguration("bytes", {"endian": last.configuration["byteorder"]})
    if predictor == 1:
        return (plain,)
    name, distance = _PREDICTORS.get(predictor, ("", 1))
    kinds = "f" if name == "imagecodecs_floatpred" else "iuf"
    if not name or dtype.kind not in kinds:
        raise _refused(to, f"with predictor {predictor} of {dtype}")
    codec = NamedConfiguration(name, {"axis": axis, "dist": distance})
    return (codec,) if kinds == "f" else (codec, plain)


def _image(
    compression: int, last: NamedConfiguration, tags: Mapping[int, list[int]], to: Format
) -> NamedConfiguration:
    told = last.configuration
    if "jpeg_header" in told:
        raise _refused(to, "whose segments have no header of their own")
    samples = tags.get(_SAMPLES, [1])[0] if tags.get(_PLANES, [1])[0] != _SEPARATE else 1
    parameters: dict[str, Any] = {}
    if compression in _JPEG:
        if "jpeg_tables" in told:
            parameters["tables"] = told["jpeg_tables"]
        if samples > 1:
            parameters |= _colours(tags, is_jfif=bool(told.get("jfif")))
    elif compression == _WEBP and samples == _WITH_OPACITY:
        parameters["hasalpha"] = True
    return NamedConfiguration(_IMAGES[compression], parameters)


def _colours(tags: Mapping[int, list[int]], *, is_jfif: bool) -> dict[str, int]:
    """The spaces of colours of JPEG images and of their decoded samples, as tifffile passes them to the decoder."""
    imported("tifffile")
    from tifffile.tifffile import jpeg_decode_colorspace

    stored, decoded = jpeg_decode_colorspace(
        tags.get(_PHOTOMETRIC, [1])[0], tags.get(_PLANES, [1])[0], tuple(tags.get(_EXTRA, ())), is_jfif
    )
    found = {"colorspace_jpeg": stored, "colorspace_data": decoded}
    return {name: int(space) for name, space in found.items() if space is not None}
