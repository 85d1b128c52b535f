"""The document ``info``: recognized, parsed, and refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from zarrcore.stores.precomputed.info import BrokenScale, InfoError, Scale, is_info, parse_info

SCALE = {
    "key": "8_8_8",
    "size": [8, 8, 8],
    "chunk_sizes": [[4, 4, 4], [8, 8, 1]],
    "resolution": [8, 8, 8.5],
    "encoding": "RAW",
}
SHARDING = {
    "@type": "neuroglancer_uint64_sharded_v1",
    "hash": "identity",
    "minishard_bits": 1,
    "shard_bits": 1,
}


def document(*scales: Any, **members: Any) -> bytes:
    return json.dumps({"data_type": "UINT8", "num_channels": 1, "scales": [*scales], **members}).encode()


def test_only_volumes_are_recognized() -> None:
    assert is_info(document(SCALE))
    assert is_info(b'{"@type": "neuroglancer_multiscale_volume", "broken')
    assert not is_info(document(SCALE, **{"@type": "neuroglancer_skeletons"}))
    assert not any(map(is_info, (b'{"scales": []}', b'"scales"', b"scales", b"", b'["scales"]')))


def test_names_are_keys_if_all_can_be() -> None:
    def names(*keys: str) -> list[str]:
        return [scale.name for scale in parse_info(document(*({**SCALE, "key": key} for key in keys))).scales]

    assert names("8_8_8", "16_16_16") == ["8_8_8", "16_16_16"]
    assert names("a", "x/b") == names("a", "a") == names("a", "..") == names("zarr.json", "a") == ["0", "1"]


def test_keys_stay_in_the_folder() -> None:
    for key, folder in (("a/../b/./c", "b/c/"), ("", ""), ("a//b", "a/b/")):
        (scale,) = parse_info(document({**SCALE, "key": key})).scales
        assert isinstance(scale, Scale)
        assert scale.folder == folder
    for key in ("../a", "a/../../b", "/a", "s3://bucket/a"):
        (broken,) = parse_info(document({**SCALE, "key": key})).scales
        assert isinstance(broken, BrokenScale)
        assert "leads out of its folder" in broken.why


@pytest.mark.parametrize(
    "members",
    [
        {"size": [1, 2]},
        {"size": [1, 2, -1]},
        {"size": [1, 2, 1.5]},
        {"chunk_sizes": [[0, 1, 1]]},
        {"chunk_sizes": []},
        {"resolution": [0, 1, 1]},
        {"resolution": [1e400, 1, 1]},
        {"encoding": "compresso"},
        {"encoding": "compressed_segmentation"},
        {"encoding": "jpeg", "key": 3},
        {"sharding": {}},
        {"sharding": {**SHARDING, "hash": "md5"}},
        {"sharding": {**SHARDING, "minishard_bits": 60}},
        {"sharding": {**SHARDING, "data_encoding": "zstd"}},
        {"sharding": SHARDING, "size": [1 << 60] * 3, "chunk_sizes": [[1, 1, 1]]},
    ],
)
def test_a_broken_scale_says_why_in_one_line(members: dict[str, Any]) -> None:
    try:
        (scale,) = parse_info(document({**SCALE, **members})).scales
    except InfoError:
        assert 1e400 in members.get("resolution", ())  # which is not JSON
        return
    assert isinstance(scale, BrokenScale)
    assert "\n" not in scale.why


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"[]",
        b"{}",
        b'{"scales": [], "data_type": "uint8"}',
        document(SCALE, data_type="bool"),
        b"[" * 9999,
    ],
)
def test_a_broken_document_is_refused(text: bytes) -> None:
    with pytest.raises(InfoError):
        parse_info(text)


def test_a_number_of_too_many_digits_is_named() -> None:
    with pytest.raises(InfoError, match=r"has more digits than any program reads$"):
        parse_info(document(SCALE).replace(b"8.5", b"8" * 10**5))
