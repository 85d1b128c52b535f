"""What zarr-python 3.4 wrote, arrays that older releases of it do not read: writes ``zarr_python_3_arrays.tar.gz`` for the tests.

python3.13 -m venv new && new/bin/pip install 'zarr==3.4.2' 'cast-value-rs==0.5.1'
PYTHONPATH=. new/bin/python tests/core/formats/v3/zarr_python_3_arrays.py
"""

from __future__ import annotations

import io
import tarfile
from pathlib import Path
from typing import Any

import numpy as np

from zarrcore.typing import AnyArray

ARCHIVE = Path(__file__).with_suffix(".tar.gz")
SHAPE = (11, 14)
EDGES: list[list[int]] = [[1, 1, 3, 6], [4, 2, 8]]
SHARD_EDGES: list[list[int]] = [[6, 2, 3], [3, 3, 6, 2]]
INNER = {"name": "gzip", "configuration": {"level": 1}}
RECORD = np.dtype(
    [("a", "<i2"), ("in", [("b", "<f4"), ("c", "?")]), ("when", "<M8[10s]"), ("text", "<U2"), ("raw", "V3")]
)
FILL = (7, (-0.0, True), np.datetime64("NaT", "s"), "é", b"\1\2\3")
NO_TIME = np.array(-(2**63)).view("<M8")[()]
NUMBERS = np.dtype("<i4")
MAPPED = {"encode": [(99, -1)], "decode": [(-1, 99)]}


def codec(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


ARRAYS: dict[str, dict[str, Any]] = {
    "edges": {"chunks": EDGES},
    "edges-and-number": {"chunks": [EDGES[0], 5]},
    "runs": {"chunks": [[1] * 11, [2] * 5 + [4]]},
    "sharded-edges": {"chunks": (1, 1), "shards": SHARD_EDGES, "compressors": INNER},
    "scaled": {"filters": codec("scale_offset", offset=-5, scale=3)},
    "cast": {"filters": codec("cast_value", data_type="int16", out_of_range="clamp", scalar_map=MAPPED)},
    "scaled-and-cast": {
        "filters": [
            codec("scale_offset", offset=-1.5, scale=10),
            codec("cast_value", data_type="uint16", rounding="nearest-away"),
        ],
        "dtype": np.dtype("<f8"),
    },
    **{
        f"shards-{order}-{location}": {"order": order, "location": location, "pipeline": pipeline}
        for order, location, pipeline in (
            ("morton", "end", "Batched"),
            ("lexicographic", "start", "Fused"),
            ("colexicographic", "end", "Fused"),
            ("unordered", "start", "Batched"),
        )
    },
    "record": {"dtype": RECORD, "fill_value": FILL},
    "time-without-unit": {"dtype": np.dtype("<M8"), "fill_value": NO_TIME},
}  # fmt: skip
"""Options by the name of the array."""


def values(name: str) -> AnyArray:
    """What each array holds; its first rows and last columns are only the fill value, 2."""
    dtype = ARRAYS[name].get("dtype", NUMBERS)
    numbers = np.arange(SHAPE[0] * SHAPE[1]).reshape(SHAPE) % 101
    made = np.full(SHAPE, np.array(ARRAYS[name].get("fill_value", 2), dtype), dtype)
    stored = (slice(3, None), slice(None, 10))
    if dtype.names:
        for number in np.ndindex(8, 10):
            n = int(numbers[stored][number])
            made[stored][number] = (
                n,
                (n / 2, n % 2),
                np.datetime64(10 * n, "s"),
                f"{n % 7}ü"[: n % 3],
                bytes([n, 0, 255]),
            )
    elif dtype.kind == "M":
        made[stored] = numbers[stored].astype("<i8").view(dtype)
    else:
        made[stored] = numbers[stored].astype(dtype) + (0.5 if dtype.kind == "f" else 0)
    return made


def main() -> None:
    """Write the archive."""
    import zarr
    from zarr.codecs import BytesCodec, ShardingCodec, ZstdCodec

    zarr.config.set({"array.rectilinear_chunks": True})
    with tarfile.open(ARCHIVE, "w:gz", compresslevel=9) as archive:
        store = zarr.storage.MemoryStore()
        zarr.create_group(store, attributes={"written by": f"zarr-python {zarr.__version__}"})
        for name, given in ARRAYS.items():
            options: dict[str, Any] = {"chunks": (4, 5), "dtype": NUMBERS, "fill_value": 2, **given}
            pipeline = options.pop("pipeline", "Fused")
            zarr.config.set({"codec_pipeline.path": f"zarr.core.codec_pipeline.{pipeline}CodecPipeline"})
            order, location = options.pop("order", None), options.pop("location", None)
            if order is not None:
                options |= {"chunks": (6, 8), "compressors": None}
                layout: dict[str, Any] = {"index_location": location, "subchunk_write_order": order}
                options["serializer"] = ShardingCodec(
                    chunk_shape=(3, 2), codecs=[BytesCodec(), ZstdCodec()], **layout
                )
            array = zarr.create_array(store, name=name, shape=SHAPE, attributes={"name": name}, **options)
            array[3:, :10] = values(name)[3:, :10]
            assert np.asarray(array[...]).tobytes() == values(name).tobytes(), name
        zarr.consolidate_metadata(store)
        files = {key: value.to_bytes() for key, value in sorted(store._store_dict.items())}
        for key, data in files.items():
            member = tarfile.TarInfo(key)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))


if __name__ == "__main__":
    main()
