"""The class for a codec's name. A new codec is a module in the folder of its kind and a line in `_BUILT_IN`.

Classes load when a document first names them. Other packages add theirs through the entry-point group
``zarrscope.codecs``: the entry's name is the codec's, its object a `Codec` class.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import Any

from zarrcore.codecs.interface import Codec
from zarrcore.errors import MetadataError, UnsupportedError
from zarrcore.extensions import load_extension
from zarrcore.metadata import NamedConfiguration

_A2A = "zarrcore.codecs.array_to_array"
_A2B = "zarrcore.codecs.array_to_bytes"
_B2B = "zarrcore.codecs.bytes_to_bytes"
_IMAGES = f"{_A2B}.imagecodecs_images"
_NGL = f"{_A2B}.neuroglancer"
_BUILT_IN = {
    "transpose": f"{_A2A}.transpose:TransposeCodec",
    "reshape": f"{_A2A}.reshape:ReshapeCodec",
    "bitround": f"{_A2A}.bitround:BitroundCodec",
    "scale_offset": f"{_A2A}.scale_offset:ScaleOffsetCodec",
    "cast_value": f"{_A2A}.cast_value:CastValueCodec",
    "zarrs.squeeze": f"{_A2A}.squeeze:SqueezeCodec",
    "squeeze": f"{_A2A}.squeeze:SqueezeCodec",
    "v2_view": f"{_A2A}.v2_view:V2ViewCodec",
    "numcodecs.delta": f"{_A2A}.numcodecs:DeltaCodec",
    "numcodecs.fixedscaleoffset": f"{_A2A}.numcodecs:FixedScaleOffsetCodec",
    "numcodecs.quantize": f"{_A2A}.numcodecs:QuantizeCodec",
    "numcodecs.astype": f"{_A2A}.numcodecs:AsTypeCodec",
    "numcodecs.bitround": f"{_A2A}.numcodecs:BitRoundCodec",
    "numcodecs.categorize": f"{_A2A}.categorize:CategorizeCodec",
    "numcodecs.packbits": f"{_A2A}.numcodecs:PackBitsCodec",
    "imagecodecs_delta": f"{_A2A}.imagecodecs_delta:ImagecodecsDeltaCodec",
    "bytes": f"{_A2B}.bytes:BytesCodec",
    "endian": f"{_A2B}.bytes:BytesCodec",
    "packbits": f"{_A2B}.packbits:PackbitsCodec",
    "vlen-utf8": f"{_A2B}.vlen_utf8:VlenUtf8Codec",
    "vlen-bytes": f"{_A2B}.vlen_bytes:VlenBytesCodec",
    "zarrs.vlen": f"{_A2B}.vlen:VlenCodec",
    "vlen": f"{_A2B}.vlen:VlenCodec",
    "zarrs.optional": f"{_A2B}.optional:OptionalCodec",
    "optional": f"{_A2B}.optional:OptionalCodec",
    "hdf5.elements": f"{_A2B}.hdf5.elements:Hdf5ElementsCodec",
    "hdf5.virtual": f"{_A2B}.hdf5.virtual:Hdf5VirtualCodec",
    "neuroglancer.compressed_segmentation": f"{_NGL}.compressed_segmentation:CompressedSegmentationCodec",
    "neuroglancer.jpeg": f"{_NGL}.images:JpegCodec",
    "neuroglancer.jxl": f"{_NGL}.images:JxlCodec",
    "neuroglancer.png": f"{_NGL}.images:PngCodec",
    "neuroglancer.raw": f"{_NGL}.raw:RawCodec",
    "tiff.segment": f"{_A2B}.tiff_segment:TiffSegmentCodec",
    "n5_default": f"{_A2B}.n5_default:N5DefaultCodec",
    "numcodecs.json2": f"{_A2B}.json2:Json2Codec",
    "numcodecs.msgpack2": f"{_A2B}.msgpack2:Msgpack2Codec",
    "numcodecs.pcodec": f"{_A2B}.pcodec:PCodec",
    "numcodecs.zfpy": f"{_A2B}.zfpy:ZfpyCodec",
    "zfp": f"{_A2B}.zfp:ZfpCodec",
    "zarrs.zfp": f"{_A2B}.zfp:ZfpCodec",
    "imagecodecs_b2nd": f"{_A2B}.hdf5.imagecodecs:ImagecodecsB2ndCodec",
    "imagecodecs_bitshuffle": f"{_A2B}.hdf5.imagecodecs:ImagecodecsBitshuffleCodec",
    "imagecodecs_floatpred": f"{_A2B}.imagecodecs_floatpred:ImagecodecsFloatpredCodec",
    "imagecodecs_jpeg": f"{_IMAGES}:ImagecodecsJpegCodec",
    "imagecodecs_jpeg2k": f"{_IMAGES}:ImagecodecsJpeg2kCodec",
    "imagecodecs_jpegls": f"{_IMAGES}:ImagecodecsJpeglsCodec",
    "imagecodecs_jpegxl": f"{_IMAGES}:ImagecodecsJpegxlCodec",
    "imagecodecs_jpegxr": f"{_IMAGES}:ImagecodecsJpegxrCodec",
    "imagecodecs_lerc": f"{_IMAGES}:ImagecodecsLercCodec",
    "imagecodecs_png": f"{_IMAGES}:ImagecodecsPngCodec",
    "imagecodecs_webp": f"{_IMAGES}:ImagecodecsWebpCodec",
    "v2_struct_bytes": f"{_A2B}.v2_struct_bytes:V2StructBytesCodec",
    "sharding_indexed": f"{_A2B}.sharding_indexed:ShardingIndexedCodec",
    "gzip": f"{_B2B}.gzip:GzipCodec",
    "numcodecs.gzip": f"{_B2B}.gzip:GzipCodec",
    "numcodecs.zlib": f"{_B2B}.gzip:ZlibCodec",
    "zstd": f"{_B2B}.zstd:ZstdCodec",
    "numcodecs.zstd": f"{_B2B}.zstd:ZstdCodec",
    "blosc": f"{_B2B}.blosc:BloscCodec",
    "numcodecs.blosc": f"{_B2B}.blosc:BloscCodec",
    "conditional": f"{_B2B}.conditional:ConditionalCodec",
    "crc32c": f"{_B2B}.crc32c:Crc32cCodec",
    "hdf5.bitshuffle": f"{_B2B}.hdf5_bitshuffle:Hdf5BitshuffleCodec",
    "hdf5.blosc2": f"{_B2B}.hdf5_blosc2:Hdf5Blosc2Codec",
    "hdf5.lz4": f"{_B2B}.hdf5_lz4:Hdf5Lz4Codec",
    "hdf5.lzf": f"{_B2B}.hdf5_imagecodecs:Hdf5LzfCodec",
    "hdf5.nbit": f"{_B2B}.hdf5_nbit:Hdf5NbitCodec",
    "hdf5.scaleoffset": f"{_B2B}.hdf5_scaleoffset:Hdf5ScaleoffsetCodec",
    "hdf5.szip": f"{_B2B}.hdf5_imagecodecs:Hdf5SzipCodec",
    "neuroglancer.gzip": f"{_B2B}.neuroglancer_gzip:NeuroglancerGzipCodec",
    "n5_lz4": f"{_B2B}.n5_lz4:N5Lz4Codec",
    "numcodecs.bz2": f"{_B2B}.standard_library:Bz2Codec",
    "numcodecs.lzma": f"{_B2B}.standard_library:LzmaCodec",
    "numcodecs.base64": f"{_B2B}.standard_library:Base64Codec",
    "numcodecs.lz4": f"{_B2B}.numcodecs:Lz4Codec",
    "numcodecs.shuffle": f"{_B2B}.numcodecs:ShuffleCodec",
    "numcodecs.crc32": f"{_B2B}.numcodecs:Crc32Codec",
    "numcodecs.crc32c": f"{_B2B}.numcodecs:NumcodecsCrc32cCodec",
    "numcodecs.adler32": f"{_B2B}.numcodecs:Adler32Codec",
    "numcodecs.fletcher32": f"{_B2B}.numcodecs:Fletcher32Codec",
    "numcodecs.jenkins_lookup3": f"{_B2B}.numcodecs:JenkinsLookup3Codec",
    "numcodecs.imagecodecs_b2nd": f"{_B2B}.hdf5_blosc2:ImagecodecsB2ndCodec",
    "numcodecs.imagecodecs_bitshuffle": f"{_B2B}.hdf5_bitshuffle:ImagecodecsBitshuffleCodec",
    "imagecodecs_blosc2": f"{_B2B}.imagecodecs:ImagecodecsBlosc2Codec",
    "imagecodecs_bz2": f"{_B2B}.imagecodecs:ImagecodecsBz2Codec",
    "imagecodecs_lz4h5": f"{_B2B}.hdf5_lz4:ImagecodecsLz4h5Codec",
    "imagecodecs_lzf": f"{_B2B}.imagecodecs:ImagecodecsLzfCodec",
    "imagecodecs_lzma": f"{_B2B}.imagecodecs:ImagecodecsLzmaCodec",
    "imagecodecs_lzw": f"{_B2B}.imagecodecs:LzwCodec",
    "imagecodecs_packbits": f"{_B2B}.imagecodecs:PackbitsCodec",
    "imagecodecs_szip": f"{_B2B}.imagecodecs:ImagecodecsSzipCodec",
    "imagecodecs_zlib": f"{_B2B}.imagecodecs:ImagecodecsZlibCodec",
    "imagecodecs_zlibng": f"{_B2B}.imagecodecs:ImagecodecsZlibCodec",
    "imagecodecs_zstd": f"{_B2B}.imagecodecs:ImagecodecsZstdCodec",
}

_URL_OF_ZARRS = re.compile(r"https://codec\.zarrs\.dev/(?:array|bytes)_to_(?:array|bytes)/(\w+)")
"""Older names of codecs in zarrs."""


def codec_class(name: str) -> type[Codec]:
    """The class of the codec ``name``.

    Raises:
        UnsupportedError: neither zarrcore nor an installed package has one.
    """
    if "pickle" in name.lower():
        raise UnsupportedError(
            "codec", name, "could run any program that the data's author wrote, and is never decoded"
        )
    if by_url := _URL_OF_ZARRS.fullmatch(name):
        name = next(
            (known for known in (by_url[1], f"numcodecs.{by_url[1]}") if known in _BUILT_IN), by_url[1]
        )
    if name in ("zarrs.gdeflate", "gdeflate"):
        raise UnsupportedError(
            "codec",
            name,
            "needs GDeflate, for which Python has no decoder: copy the array with zarrs, to zstd for instance",
        )
    return _load(name)


def codec_names() -> list[str]:
    """The names of zarrcore's own codecs."""
    return list(_BUILT_IN)


@cache
def _load(name: str) -> type[Codec]:
    found: Any
    if place := _BUILT_IN.get(name):
        module, _, attribute = place.partition(":")
        found = getattr(importlib.import_module(module), attribute)
    else:
        found = load_extension("zarrscope.codecs", name)
        if found is None:
            raise UnsupportedError("codec", name)
    if not (isinstance(found, type) and issubclass(found, Codec)):
        raise UnsupportedError("codec", name, f"is registered with {found!r}, which is not a codec class")
    kind: type[Codec] = found
    return kind


def make_codec(named: NamedConfiguration, member: str) -> Codec | None:
    """The codec that a document configures; None for an unknown one with ``must_understand: false``.

    Version 3.1 allows ``must_understand: false`` for codecs that readers can ignore, such as one that only
    rounds before encoding. It does not allow it for data types, grids and key encodings. Writing needs every
    codec, so a pipeline with an unknown one only reads.

    Raises:
        MetadataError: a parameter that the codec's specification does not allow.
        UnsupportedError: an unknown codec or parameter.
    """
    try:
        kind = codec_class(named.name)
    except UnsupportedError:
        if named.must_understand:
            raise
        return None
    try:
        return kind.from_configuration(named.configuration)
    except MetadataError as error:
        raise MetadataError(
            error.reason, member=f"{member} ({named.name}) {error.member}".rstrip()
        ) from error
