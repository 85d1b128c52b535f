"""``tiff.segment``: configurations, and segments that do not fit. Layouts are tested with the files they come from."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import imagecodecs
import numpy as np
import pytest
import tifffile
from PIL import Image

from zarrcore.codecs.array_to_bytes.tiff_segment import TiffSegmentCodec
from zarrcore.codecs.interface import ArraySpec
from zarrcore.errors import CodecError, MetadataError, UnsupportedError
from zarrcore.typing import AnyArray

TAGS: dict[str, Any] = {"256": [8], "258": [16], "259": [8], "262": [1], "277": [1], "284": [1], "317": [2]}
SPEC = ArraySpec((4, 8), np.dtype("<u2"), np.uint16(0))
DATA = np.arange(32, dtype="<u2").reshape(4, 8) ** 2


def codec(**changes: Any) -> TiffSegmentCodec:
    return TiffSegmentCodec.from_configuration({"byteorder": "little", "tags": TAGS, **changes})


def encoded(data: AnyArray = DATA) -> bytes:
    return bytes(imagecodecs.zlib_encode(imagecodecs.delta_encode(data, axis=-1).tobytes()))


def test_a_strip_has_as_many_rows_as_the_chunk() -> None:
    np.testing.assert_array_equal(codec().decode(encoded(), SPEC), DATA)
    short = ArraySpec((1, 3, 8), SPEC.dtype, np.uint16(0))
    np.testing.assert_array_equal(codec().decode(encoded(DATA[:3]), short), DATA[None, :3])


def test_a_tile_that_ends_where_the_page_ends_is_padded() -> None:
    tags = {**TAGS, "322": [16], "323": [16], "259": [34933], "317": [1]}
    spec = ArraySpec((16, 16), SPEC.dtype, np.uint16(0))
    found = codec(tags=tags, rest=[4, 8]).decode(imagecodecs.png_encode(DATA), spec)
    np.testing.assert_array_equal(found[:4, :8], DATA)
    assert not found[4:].any()
    assert not found[:, 8:].any()


@pytest.mark.parametrize("value", [b"", b"broken", encoded(DATA[:2]), encoded()[:-9]])
def test_broken_segments_get_one_sentence(value: bytes) -> None:
    with pytest.raises(CodecError, match="the segment is broken") as caught:
        codec().decode(value, SPEC)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"tags": None}, "expected an object of tags"),
        ({"tags": {"259": 8}}, "expected numbers of 32 bits"),
        ({"tags": {"259": [2**32]}}, "expected numbers of 32 bits"),
        ({"tags": {"x": [1]}}, "expected numbers of 32 bits"),
        ({"byteorder": "middle"}, "expected one of little, big"),
        ({"jpeg_tables": "?"}, "expected bytes in base64"),
        ({"other": 1}, "does not have this parameter"),
    ],
)
def test_broken_configurations_are_refused(changes: dict[str, Any], why: str) -> None:
    with pytest.raises(MetadataError, match=why):
        codec(**changes)


def test_chunks_of_another_width_are_refused() -> None:
    with pytest.raises(MetadataError, match="are no chunks of shape"):
        codec().decode(encoded(), ArraySpec((4, 7), SPEC.dtype, np.uint16(0)))
    with pytest.raises(CodecError, match="expected uint8, found uint16"):
        codec().decode(encoded(), ArraySpec((4, 8), np.dtype("u1"), np.uint8(0)))


def test_without_tifffile_the_error_tells_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tifffile", None)
    with pytest.raises(UnsupportedError, match=r"zarrscope\[tiff\]"):
        codec()


def test_it_only_reads() -> None:
    assert not codec().can_encode
    assert codec().max_encoded_nbytes(SPEC) > SPEC.nbytes


STREAMS = {"lzw": 5, "deflate": 8, "zlib": 32946, "packbits": 32773, "lzma": 34925, "zstd": 50000}


@pytest.mark.parametrize("name", STREAMS)
def test_bytes_after_a_stream_are_ignored_and_those_that_lack_are_an_error(name: str, tmp_path: Path) -> None:
    image = (np.arange(40 * 50).reshape(40, 50) % 251).astype("u1")
    value = bytes(getattr(imagecodecs, f"{name}_encode")(image.tobytes()))
    longer = bytes(getattr(imagecodecs, f"{name}_encode")(image.tobytes() + bytes(500)))
    tags = {**TAGS, "256": [50], "258": [8], "259": [STREAMS[name]], "317": [1]}
    spec = ArraySpec((40, 50), np.dtype("u1"), np.uint8(0))
    for number, stored in enumerate((value + bytes(7), value + bytes(range(256)) * 8, longer)):
        file = tmp_path / f"{number}.tif"
        tifffile.imwrite(
            file,
            iter([stored]),
            shape=(40, 50),
            dtype="u1",
            compression=STREAMS[name],
            rowsperstrip=40,
            metadata=None,
        )
        with Image.open(file) as opened:  # by libtiff
            np.testing.assert_array_equal(np.asarray(opened), image)
        np.testing.assert_array_equal(codec(tags=tags).decode(stored, spec), image)
    short = bytes(getattr(imagecodecs, f"{name}_encode")(image[:9].tobytes()))
    tiled = {**tags, "322": [50], "323": [40]}
    for stored in (short, value[: len(value) // 3]):
        with pytest.raises(CodecError):
            codec(tags=tags).decode(stored, spec)
        with pytest.raises(CodecError):
            codec(tags=tiled, rest=[8, 50]).decode(stored, spec)
    np.testing.assert_array_equal(codec(tags=tiled, rest=[9, 50]).decode(short, spec)[:9], image[:9])
