"""Features of Zarr v2 only: NumPy data types, compressors, filters, orders."""

from __future__ import annotations

import numcodecs
import numpy as np

from tests.hierarchies.values import ramp, values
from tests.hierarchies.writer import CORE_TYPES, SHAPE, HierarchyWriter


def write_types(h: HierarchyWriter) -> None:
    for dtype in CORE_TYPES:
        h.add(f"types/{dtype}", values(dtype, SHAPE))
        if np.dtype(dtype).itemsize > 1:
            h.add(f"types/big-{dtype}", values(np.dtype(dtype).newbyteorder(">"), SHAPE))
    corner = [(slice(0, 3), slice(4, 8))]
    record = [("id", "<u2"), ("label", "S4"), ("value", ">f4"), ("word", "<U3")]
    dated = [("id", "|u1"), ("at", "<M8[s]")]
    for name, dtype, fill in (
        ("datetime-ns", "<M8[ns]", np.datetime64("2026-11-20T12:00:00", "ns")),
        ("datetime-big", ">M8[D]", np.datetime64("NaT", "D")),
        ("timedelta-s", "<m8[s]", np.timedelta64(90, "s")),
        ("bytes", "S5", b"fill"),
        ("text", "<U7", "漢"),
        ("text-big", ">U3", ""),
        ("raw", "V3", np.void(b"\1\2\3")),
        ("structured", record, np.array((7, b"ab", -1.5, "é"), record)[()]),
        ("structured-dated", dated, np.array((7, np.datetime64("2026-11-20")), dated)[()]),
    ):
        dated = name in ("datetime-ns", "datetime-big", "timedelta-s", "structured-dated")
        compressors = None if dated else "auto"  # numcodecs 0.16 cannot compress dates
        h.add(f"types/{name}", values(dtype, SHAPE), stored=corner, fill_value=fill, compressors=compressors)


def write_compressors(h: HierarchyWriter) -> None:
    data, chunks = ramp("i4", (20, 30)), (8, 16)
    for name, compressor in {
        "none": None,
        "zlib": numcodecs.Zlib(level=3),
        "gzip": numcodecs.GZip(level=3),
        "bz2": numcodecs.BZ2(level=3),
        "lzma": numcodecs.LZMA(preset=1),
        "zstd": numcodecs.Zstd(level=3),
        "lz4": numcodecs.LZ4(),
        **{f"blosc-{shuffle}": numcodecs.Blosc("lz4", 5, shuffle) for shuffle in (-1, 0, 1, 2)},
        **{f"blosc-{cname}": numcodecs.Blosc(cname, 5) for cname in ("blosclz", "lz4hc", "zlib", "zstd")},
    }.items():
        h.add(f"compressors/{name}", data, chunks=chunks, compressors=compressor)


def write_filters(h: HierarchyWriter) -> None:
    data, chunks = ramp("i4", (20, 30)), (8, 16)
    h.add("filters/delta", data, chunks=chunks, filters=[numcodecs.Delta("i4")])
    h.add("filters/delta-narrower", data, chunks=chunks, filters=[numcodecs.Delta("i4", astype="i2")])
    h.add("filters/delta-alone", data, chunks=chunks, filters=[numcodecs.Delta("i4")], compressors=None)
    h.add("filters/delta-big", data.astype(">i4"), chunks=chunks, filters=[numcodecs.Delta(">i4")])
    h.add("filters/delta-shuffle", data, chunks=chunks, filters=[numcodecs.Delta("i4"), numcodecs.Shuffle(4)])
    h.add("filters/shuffle", data, chunks=chunks, filters=[numcodecs.Shuffle(4)])
    h.add("filters/astype", data.astype("f8"), chunks=chunks, filters=[numcodecs.AsType("f4", "f8")])
    h.add("filters/packbits", values("bool", (20, 30)), chunks=chunks, filters=[numcodecs.PackBits()])
    h.add("filters/delta-fortran", data, chunks=chunks, filters=[numcodecs.Delta("i4")], order="F")
    for name, checksum in {"crc32": numcodecs.CRC32(), "adler32": numcodecs.Adler32()}.items():
        h.add(f"filters/{name}", data, chunks=chunks, filters=[checksum])
    h.add("filters/fletcher32", data, chunks=chunks, filters=[numcodecs.Fletcher32()])
    tenths = 1000 + data / 10
    offset = numcodecs.FixedScaleOffset(offset=1000, scale=10, dtype="f8", astype="u2")
    lossy = offset.decode(offset.encode(tenths)).reshape(tenths.shape)
    h.add("filters/fixedscaleoffset", tenths, chunks=chunks, filters=[offset], read_back=lossy)
    waves, quantize = np.sin(tenths), numcodecs.Quantize(digits=2, dtype="f8")
    h.add("filters/quantize", waves, chunks=chunks, filters=[quantize], read_back=quantize.encode(waves))


def write_layouts(h: HierarchyWriter) -> None:
    data = values("i2", SHAPE)
    for order in ("C", "F"):
        for name, separator in {"slash": "/", "dot": "."}.items():
            encoding = {"name": "v2", "separator": separator}
            h.add(f"layouts/{order}-{name}", data, order=order, chunk_key_encoding=encoding)
    cube = values("f4", (5, 6, 7))
    h.add("layouts/F-three-axes", cube, chunks=(2, 4, 3), order="F")
    h.add(
        "layouts/F-structured",
        values([("a", "i2"), ("b", "f8")], SHAPE),
        order="F",
        document={"fill_value": None},
    )
    h.add("layouts/separator-not-recorded", data, document={"dimension_separator": ...})
    h.add("layouts/no-filters-member", data, document={"filters": None, "unknown-member": 1})
    dates = values("i8", SHAPE)
    written = {
        "compressors": numcodecs.Blosc("lz4", 5),
        "document": {"dtype": "<M8[ms]", "fill_value": "NaT"},
    }
    h.add("layouts/dates-compressed", dates, read_back=dates.view("M8[ms]"), **written)
