"""Configurations of codecs: MetadataError or UnsupportedError, or what is encoded is decoded, also by numcodecs."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import numcodecs
import numpy as np

from tests.core.codecs.cases import spec_of
from tests.proofs.fuzz.chains import CHAINS, Chain, assert_same
from tests.proofs.fuzz.documents import Choices, changed_document
from zarrcore.codecs import Pipeline
from zarrcore.codecs.imagecodecs_package import V2_OF_BYTES
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.json_document import format_json
from zarrcore.typing import AnyArray

MAX_LENGTH = 80
WORDS = (
    *(
        "level",
        "cname",
        "clevel",
        "shuffle",
        "typesize",
        "blocksize",
        "checksum",
        "format",
        "check",
        "preset",
        "filters",
        "id",
    ),
    *(
        "lz4",
        "lz4hc",
        "zstd",
        "zlib",
        "snappy",
        "noshuffle",
        "bitshuffle",
        "order",
        "F",
        "C",
        "endian",
        "big",
        "codecs",
        "name",
    ),
    *(
        "configuration",
        "chunk_shape",
        "index_codecs",
        "index_location",
        "end",
        "gzip",
        "crc32c",
        "blosc",
        "bytes",
        "transpose",
    ),
    *(
        "dtype",
        "astype",
        "<f4",
        ">f8",
        "|u1",
        "<M8[s]",
        "|S2",
        "scale",
        "offset",
        "digits",
        "keepbits",
        "mode",
        "rate",
        "minexp",
    ),
    *(
        "fixed_rate",
        "expert",
        "padding_encoding",
        "first_bit",
        "header_bits",
        "location",
        "elementsize",
        "out_of_range",
        "clamp",
    ),
    *(
        "wrap",
        "rounding",
        "towards-zero",
        "scalar_map",
        "encode",
        "decode",
        "must_understand",
        "dict_size",
        "labels",
        "shape",
    ),
)


def check(data: bytes) -> None:
    """The first byte is the chain; the rest changes the configuration of one codec in it."""
    if not data:
        return
    chain = CHAINS[data[0] % len(CHAINS)]
    told = json.loads(json.dumps(dict(chain.codec.configuration), default=list))
    configuration = changed_document(Choices(b"\0" + data[1:]), [told], WORDS)
    if not isinstance(configuration, dict):
        return
    codec = NamedConfiguration(chain.codec.name, configuration)
    try:
        pipeline = chain.pipeline(codec)
    except (MetadataError, UnsupportedError):
        return
    if pipeline.max_encoded_nbytes > 1 << 32 or "dict_size" in json.dumps(configuration):
        return  # a filter chain of liblzma takes the memory that it is told to take
    decoded = _round_trip(pipeline, chain)
    if decoded is None:
        return
    if chain.is_on_bytes or (chain.exact and configuration == told):
        assert_same(decoded, chain.array)
    _check_completed(pipeline, chain, decoded)


def _round_trip(pipeline: Pipeline, chain: Chain) -> AnyArray | None:
    """The array after it was encoded and decoded; None if the codec cannot hold it."""
    try:
        encoded = bytes(pipeline.encode(chain.array))
    except (CodecError, UnsupportedError):
        return None
    assert pipeline.encoded_nbytes in (None, len(encoded))
    assert len(encoded) <= pipeline.max_encoded_nbytes
    decoded = pipeline.decode(encoded)
    _check_numcodecs(chain, encoded, pipeline)
    return decoded


def _check_numcodecs(chain: Chain, encoded: bytes, pipeline: Pipeline) -> None:
    """numcodecs decodes the same bytes from a compressor of its own."""
    name = chain.codec.name
    if not chain.is_on_bytes or not name.startswith("numcodecs.") or name == "numcodecs.lz4":
        return
    try:
        told = pipeline.completed()[1]
    except (MetadataError, UnsupportedError):
        return  # parameters that are read, and never written
    if not told.name.startswith("numcodecs.") or told.name.startswith(V2_OF_BYTES):
        return  # numcodecs does not have those of imagecodecs
    theirs = numcodecs.get_codec({"id": told.name.removeprefix("numcodecs."), **told.configuration})
    try:
        decoded = np.asarray(theirs.decode(encoded))
    except ValueError:  # from its LZMA for a container with filters, which it writes but does not read
        return
    assert decoded.tobytes() == np.ascontiguousarray(chain.array).tobytes()


def _check_completed(pipeline: Pipeline, chain: Chain, decoded: AnyArray) -> None:
    """All parameters, as a document would tell them, are the same codecs."""
    try:
        completed = pipeline.completed()
    except (MetadataError, UnsupportedError):
        return  # parameters that are read, and never written
    documents = _told(completed)
    again = [NamedConfiguration(one["name"], one.get("configuration", {})) for one in documents]
    spelled = Pipeline(again, spec_of(chain.array))
    assert_same(spelled.decode(pipeline.encode(chain.array)), decoded)
    assert _told(spelled.completed()) == documents


def _told(codecs: Iterable[NamedConfiguration]) -> list[dict[str, Any]]:
    """The codecs as JSON tells them: NaN, which JSON does not have, is a string there."""
    return [json.loads(format_json(codec.document())) for codec in codecs]


def examples() -> Iterable[bytes]:
    """Each chain as it is."""
    return [bytes([number]) for number in range(len(CHAINS))]
