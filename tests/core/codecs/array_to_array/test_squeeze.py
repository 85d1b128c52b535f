"""``zarrs.squeeze``, with zarrs."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.abc.codec import ArrayArrayCodec
from zarr.registry import register_codec

import zarrcore as zc
from tests.core.codecs.zarrs_pipelines import LITTLE, URL, pipeline


class _SqueezeStub(ArrayArrayCodec):
    """zarr-python has to know the name, for zarrs to be asked."""

    is_fixed_size = True

    @classmethod
    def from_dict(cls, data: Any) -> _SqueezeStub:
        return cls()

    def to_dict(self) -> Any:
        return {"name": "zarrs.squeeze"}

    def compute_encoded_size(self, input_byte_length: int, chunk_spec: Any) -> int:
        return input_byte_length


@pytest.mark.parametrize("shape", [(3, 1, 4), (1, 1), (1, 6, 1)])
@pytest.mark.parametrize("named", ["zarrs.squeeze", "squeeze", f"{URL}/array_to_array/squeeze"])
def test_squeeze_and_zarrs(tmp_path: Path, shape: tuple[int, ...], named: str) -> None:
    register_codec("zarrs.squeeze", _SqueezeStub)
    values = np.arange(np.prod(shape), dtype="<i4").reshape(shape)
    with warnings.catch_warnings(action="ignore"):
        zarr.create_array(tmp_path, shape=shape, chunks=shape, dtype="<i4", compressors=None)
    path = tmp_path / "zarr.json"
    document = {**json.loads(path.read_text()), "codecs": [{"name": "zarrs.squeeze"}, LITTLE]}
    path.write_text(json.dumps(document))
    with zarr.config.set({"codec_pipeline.path": "zarrs.ZarrsCodecPipeline", "codec_pipeline.strict": True}):
        theirs = zarr.open_array(tmp_path)
        theirs[...] = values
        path.write_text(json.dumps({**document, "codecs": [{"name": named}, LITTLE]}))
        ours = zc.open_hierarchy(tmp_path, "r+")["/"]
        assert np.array_equal(ours[...], values)
        ours[...] = values[::-1] + 1
        assert np.array_equal(theirs[...], values[::-1] + 1)


def test_squeezed_chunks_go_through_other_codecs() -> None:
    dtype = np.dtype("<i4")
    values = np.arange(12, dtype=dtype).reshape(3, 1, 4)
    made = pipeline(["zarrs.squeeze", ("transpose", {"order": [1, 0]}), "bytes"], dtype, values.shape)
    assert bytes(made.encode(values)) == values[:, 0].T.tobytes()
    assert np.array_equal(made.decode(values[:, 0].T.tobytes()), values)
    assert made.completed()[0].document() == {"name": "zarrs.squeeze"}
    zfp = pipeline(["squeeze", ("zfp", {"mode": "reversible"})], dtype, (1, 3, 1, 4, 1, 2))
    numbers = np.arange(24, dtype=dtype).reshape(zfp.spec.shape)
    assert np.array_equal(zfp.decode(zfp.encode(numbers)), numbers)
