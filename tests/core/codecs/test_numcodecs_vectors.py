"""The vectors that numcodecs keeps of its own releases: what they wrote years ago decodes, and what we write decodes to it."""

from __future__ import annotations

import json
import tarfile
from functools import cache
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from zarrcore.codecs import ArraySpec, ArrayToArrayCodec, ArrayToBytesCodec, Pipeline
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import CodecError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero
from zarrcore.typing import AnyArray

ARCHIVE = Path(__file__).parents[3].parent / "shared" / "corpora" / "numcodecs-fixture.tar.gz"
pytestmark = pytest.mark.skipif(
    not ARCHIVE.exists(), reason="the corpus numcodecs-fixture.tar.gz is not beside the repository"
)

ON_ARRAYS = ["astype", "delta", "fixedscaleoffset", "packbits", "quantize"]
ON_BYTES = [
    "adler32",
    "base64",
    "blosc",
    "bz2",
    "crc32",
    "crc32c",
    "gzip",
    "lz4",
    "lzma",
    "shuffle",
    "zlib",
    "zstd",
]
TO_BYTES = ["pcodec", "zfpy"]
ELSEWHERE = ["categorize", "json2", "msgpack2", "vlen-bytes", "vlen-utf8"]
"""Of elements of varying length: tested beside those codecs, or version 2's objects."""
REFUSED = [
    "pickle",  # runs programs
    "vlen-array",
]
SAME_BYTES = {"adler32", "base64", "bz2", "crc32", "crc32c", "lz4", "lzma", "shuffle", "zfpy", *ON_ARRAYS}
"""Codecs whose every encoder writes the same bytes."""
TOLERANCE = {"astype": 0, "fixedscaleoffset": 0.06, "quantize": 16}
"""How far the decoded values may be from the array, since the encoder dropped digits."""


class Vector(NamedTuple):
    codec: NamedConfiguration
    array: AnyArray
    encoded: bytes


@cache
def members() -> dict[str, bytes]:
    with tarfile.open(ARCHIVE) as archive:
        files = [member for member in archive if member.isfile()]
        return {member.name: archive.extractfile(member).read() for member in files}


def vectors(folder: str) -> list[Vector]:
    """All of a codec's, as arrays of one dimension in the order in which their elements lie in memory."""
    found = []
    for name, encoded in members().items():
        parent, _, file = name.rpartition("/")
        if not (name.startswith(f"fixture/{folder}/") and file.startswith("encoded.")):
            continue
        parameters = json.loads(members()[f"{parent}/config.json"])
        id_ = parameters.pop("id")
        array = members()[f"{parent.rpartition('/')[0]}/array.{file.split('.')[1]}.npy"]
        known = id_ in ("blosc", "gzip", "zstd")
        codec = NamedConfiguration(id_ if known else f"numcodecs.{id_}", parameters)
        found.append(Vector(codec, np.load(BytesIO(array)).reshape(-1, order="A"), encoded))
    assert found
    return found


def pipeline(vector: Vector) -> Pipeline:
    dtype = vector.array.dtype.newbyteorder("<")
    to_bytes = NamedConfiguration("bytes")
    kind = codec_class(vector.codec.name)
    if issubclass(kind, ArrayToBytesCodec):
        codecs = [vector.codec]
    else:
        codecs = [vector.codec, to_bytes] if issubclass(kind, ArrayToArrayCodec) else [to_bytes, vector.codec]
    return Pipeline(codecs, ArraySpec(vector.array.shape, dtype, zero(dtype)))


@pytest.mark.parametrize("folder", ON_ARRAYS + ON_BYTES + TO_BYTES)
def test_vectors_decode_to_their_arrays_and_are_written_alike(folder: str) -> None:
    for vector in vectors(folder):
        if vector.codec.configuration.get("cname") == "snappy":
            continue
        chain = pipeline(vector)
        decoded = chain.decode(vector.encoded)
        if folder in TOLERANCE:
            assert np.allclose(decoded, vector.array, rtol=1e-3, atol=TOLERANCE[folder])
        else:
            assert decoded.tobytes() == vector.array.astype(decoded.dtype).tobytes()
        encoded = bytes(chain.encode(vector.array))
        assert chain.decode(encoded).tobytes() == decoded.tobytes()
        if folder in SAME_BYTES:
            assert encoded == vector.encoded


def test_a_blosc_build_without_snappy_names_it_in_the_error() -> None:
    for vector in vectors("blosc"):
        if vector.codec.configuration["cname"] == "snappy":
            try:
                decoded = pipeline(vector).decode(vector.encoded)
            except CodecError as error:  # where it had not been shorter to store it as it is
                assert "snappy" in str(error)  # noqa: PT017
            else:
                assert decoded.tobytes() == vector.array.tobytes()


@pytest.mark.parametrize("folder", REFUSED)
def test_refused_codecs_are_named(folder: str) -> None:
    with pytest.raises(UnsupportedError) as caught:
        codec_class(f"numcodecs.{folder}")
    assert folder in caught.value.name


@pytest.mark.parametrize("name", ["pickle", "numcodecs.pickle", "Pickle", "cloudpickle"])
def test_pickle_is_refused_by_any_name(name: str) -> None:
    with pytest.raises(UnsupportedError, match="could run any program"):
        codec_class(name)


def test_every_codec_of_the_corpus_is_tested() -> None:
    folders = {name.split("/")[1] for name in members()}
    assert folders == {*ON_ARRAYS, *ON_BYTES, *TO_BYTES, *ELSEWHERE, *REFUSED}
