"""Files written by pynrrd, read as hierarchies and compared with what pynrrd reads."""

from __future__ import annotations

import bz2
import gzip
import pickle
import shutil
from pathlib import Path
from typing import Any

import nrrd
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st

import zarrcore
from tests.command import run_inside
from tests.servers.distant import distant_server
from zarrcore.conventions import image_of
from zarrcore.errors import StoreError, ZarrError
from zarrcore.stores import LocalStore
from zarrcore.stores.nrrd.store import NrrdSource
from zarrcore.stores.wrapper.interface import listable
from zarrcore.typing import AnyArray

# pynrrd writes the time into each file, and does not close files of text.
pytestmark = [
    pytest.mark.filterwarnings("ignore:datetime.datetime.utcnow:DeprecationWarning"),
    pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning"),
]

TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")


def values_of(shape: tuple[int, ...], dtype: str, seed: int = 0) -> AnyArray:
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.random.default_rng(seed).integers(0, 120, nbytes, "u1").view(dtype).reshape(shape)


def write(path: Path, text: str, data: bytes = b"", **fields: str) -> None:
    """A header of a volume of 10 × 6 × 4 short integers with further fields."""
    told = {"type": "short", "dimension": "3", "sizes": "4 6 10", "endian": "little", "encoding": "raw"}
    told |= {name.replace("_", " "): value for name, value in fields.items()}
    lines = ["NRRD0004", *(f"{name}: {value}" for name, value in told.items())]
    path.write_bytes(("\n".join(lines) + "\n" + text).encode() + data)


VALUES = values_of((10, 6, 4), "<i2")


@settings(max_examples=60, deadline=None)
@given(
    shape=st.lists(st.integers(1, 6), min_size=1, max_size=6).map(tuple),
    dtype=st.sampled_from(TYPES),
    order=st.sampled_from("<>"),
    encoding=st.sampled_from(["raw", "gzip", "bzip2", "ascii"]),
    is_detached=st.booleans(),
    with_kinds=st.booleans(),
    data=st.data(),
)
def test_any_file_reads_as_with_pynrrd(
    tmp_path_factory: pytest.TempPathFactory,
    shape: tuple[int, ...],
    dtype: str,
    order: str,
    encoding: str,
    *,
    is_detached: bool,
    with_kinds: bool,
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.mktemp("a") / ("a.nhdr" if is_detached else "a.nrrd")
    if np.dtype(dtype).itemsize == 8 and encoding == "ascii":
        dtype = "f8"  # pynrrd writes large integers as floats, and cannot read them
    header: dict[str, Any] = {"encoding": encoding, "endian": "big" if order == ">" else "little"}
    if with_kinds:
        names = st.sampled_from(["domain", "space", "time", "vector", "list", "???"])
        header["kinds"] = [data.draw(names) for _ in shape]
    nrrd.write(str(path), values_of(shape, order + dtype), header, index_order="C")
    expected, _ = nrrd.read(str(path), index_order="C")
    with zarrcore.open_hierarchy(path) as hierarchy:
        array = hierarchy["0"]
        source = hierarchy.store
        assert isinstance(source, NrrdSource)
        found = array[...]
        assert found.dtype == np.dtype(dtype)
        assert np.array_equal(found, expected.transpose(source.content.order), equal_nan=True)
        assert (
            found.astype(dtype).tobytes()
            == np.ascontiguousarray(expected.astype(dtype).transpose(source.content.order)).tobytes()
        )
        if is_ome := "ome" in hierarchy["/"].attributes:
            assert image_of(hierarchy["/"]).levels
        assert is_ome == source.content.is_ome
        keys = [entry.key for entry in listable(source).list_prefix("0/c/")]
        assert all(source.stat(key).size == len(source.get(key)) for key in keys)


def test_what_the_mount_writes_is_read_again(tmp_path: Path) -> None:
    group = zarr.create_group(tmp_path / "a.zarr")
    values = values_of((5, 6, 7), "u2")
    group.create_array("x", data=values, dimension_names=["z", "y", "x"])
    outcome = run_inside("cat", tmp_path / "a.zarr", "x", "--as", "nrrd")
    (tmp_path / "x.nrrd").write_bytes(outcome.stdout)
    with zarrcore.open_hierarchy(tmp_path / "x.nrrd") as hierarchy:
        assert np.array_equal(hierarchy["0"][...], values)
        assert hierarchy["0"].dimension_names == ("z", "y", "x")


@pytest.mark.parametrize("encoding", ["raw", "gzip"])
def test_colours_are_channels_and_volumes_have_coordinates(tmp_path: Path, encoding: str) -> None:
    values = values_of((7, 6, 5, 3), "u1")
    header = {
        "encoding": encoding,
        "kinds": ["RGB-color", "domain", "domain", "domain"],
        "space": "left-posterior-superior",
        "space directions": np.array([[np.nan] * 3, [0.5, 0, 0], [0, 0.5, 0], [0, 0, 2]]),
        "space origin": np.array([-10.0, 20, 30]),
        "space units": ["mm", "mm", "mm"],
        "patient": "nobody",
    }
    nrrd.write(str(tmp_path / "a.nrrd"), values, header, index_order="C")
    with zarrcore.open_hierarchy(tmp_path / "a.nrrd") as hierarchy:
        assert np.array_equal(hierarchy["0"][...], np.moveaxis(values, -1, 0))
        assert np.array_equal(hierarchy["0"][1, 2, 3:5], values[2, 3:5, :, 1])
        attributes = hierarchy["/"].attributes
        image = image_of(hierarchy["/"])
        assert [(axis.name, axis.unit) for axis in image.axes] == [
            ("c", ""),
            *((n, "millimeter") for n in "zyx"),
        ]
        assert (image.spacing, image.origin) == ((1, 2, 0.5, 0.5), (0, 30, 20, -10))
        assert [channel.colour for channel in image.channels] == [(255, 0, 0), (0, 255, 0), (0, 0, 255)]
        assert attributes["nrrd"]["key_values"] == {"patient": "nobody"}


@pytest.mark.parametrize(
    ("fields", "files"),
    [
        ({"data_file": "a.raw"}, {"a.raw": VALUES.tobytes()}),
        (
            {"data_file": "a.raw", "line_skip": "2", "byte_skip": "3"},
            {"a.raw": b"x\n\n123" + VALUES.tobytes()},
        ),
        ({"data_file": "a.raw", "byte_skip": "-1"}, {"a.raw": b"header" + VALUES.tobytes()}),
        ({"data_file": "sub/a.gz", "encoding": "gz"}, {"sub/a.gz": gzip.compress(VALUES.tobytes())}),
        (
            {"data_file": "a.gz", "encoding": "gzip", "line_skip": "1", "byte_skip": "2"},
            {"a.gz": b"line\n" + gzip.compress(b"12" + VALUES.tobytes())},
        ),
        (
            {"data_file": "a.bz2", "encoding": "bz2", "line_skip": "1", "byte_skip": "2"},
            {"a.bz2": b"line\n" + bz2.compress(b"12" + VALUES.tobytes())},
        ),
        (
            {"data_file": "a.txt", "encoding": "text", "line_skip": "1", "byte_skip": "2"},
            {"a.txt": b"line\n: " + ",\t".join(map(str, VALUES.ravel().tolist())).encode() + b" \n"},
        ),
        (
            {"data_file": "s%02d.raw 9 0 -1"},
            {f"s{9 - page:02d}.raw": VALUES[page].tobytes() for page in range(10)},
        ),
        ({"data_file": "LIST 3\nb\na"}, {"b": VALUES[:5].tobytes(), "a": VALUES[5:].tobytes()}),
    ],
)
def test_elements_in_other_files(tmp_path: Path, fields: dict[str, str], files: dict[str, bytes]) -> None:
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    write(tmp_path / "a.nhdr", "", **fields)
    with zarrcore.open_hierarchy(tmp_path / "a.nhdr") as hierarchy:
        assert np.array_equal(hierarchy["0"][...], VALUES)
        assert np.array_equal(hierarchy["0"][7, 2:4], VALUES[7, 2:4])
        again = pickle.loads(pickle.dumps(hierarchy.store))
        keys = [entry.key for entry in listable(again).list_prefix("0/c/")]
        assert [again.get(key) for key in keys] == [hierarchy.store.get(key) for key in keys]
    archive = shutil.make_archive(str(tmp_path.with_name(f"{tmp_path.name}-zip")), "zip", tmp_path)
    with zarrcore.open_hierarchy(f"{archive}|zip:a.nhdr|nrrd:") as hierarchy:
        assert np.array_equal(hierarchy["0"][...], VALUES)
    with distant_server(tmp_path) as server, zarrcore.open_hierarchy(f"{server.url}/a.nhdr") as hierarchy:
        assert np.array_equal(hierarchy["0"][...], VALUES)


def test_a_remote_header_must_not_read_local_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(VALUES.tobytes())
    served = tmp_path / "served" / "inner"
    served.mkdir(parents=True)
    write(served / "a.nhdr", "", data_file=str(secret))
    write(served / "b.nhdr", "", data_file="../../../secret")
    with distant_server(tmp_path / "served") as server:
        with pytest.raises(StoreError, match=rf"--allow-targets {tmp_path} allows it"):
            zarrcore.open_hierarchy(f"{server.url}/inner/a.nhdr")
        with zarrcore.open_hierarchy(f"{server.url}/inner/a.nhdr", allow_targets=(str(secret),)) as hierarchy:
            assert np.array_equal(hierarchy["0"][...], VALUES)
        with pytest.raises(StoreError, match="leads out of the store"):
            zarrcore.open_hierarchy(f"{server.url}/inner/b.nhdr")


def test_requests_for_opening_and_for_a_plane(tmp_path: Path) -> None:
    values = values_of((41, 90, 100), "i2")
    nrrd.write(str(tmp_path / "a.nrrd"), values, {"encoding": "raw"}, index_order="C")
    with distant_server(tmp_path) as server, zarrcore.open_hierarchy(f"{server.url}/a.nrrd") as hierarchy:
        array = hierarchy["0"]
        assert len(server.requests) == 1
        server.forget()
        assert np.array_equal(array[7], values[7])
        assert (len(server.requests), server.sent) == (1, 100 * 90 * 2)


def test_a_copy_reads_with_zarr_python_and_checks(tmp_path: Path) -> None:
    write(tmp_path / "a.nrrd", "\n", VALUES.tobytes())
    assert run_inside("check", tmp_path / "a.nrrd").status == 0
    assert run_inside("copy", tmp_path / "a.nrrd", tmp_path / "a.zarr").status == 0
    assert np.array_equal(zarr.open(tmp_path / "a.zarr", mode="r")["0"][...], VALUES)
    assert "a.nrrd" in run_inside("tree", tmp_path).text


def test_broken_files_say_what_is_wrong(tmp_path: Path) -> None:
    for number, (fields, why) in enumerate(
        (
            ({"encoding": "hex"}, "its encoding is 'hex'"),
            ({"type": "block"}, "of the type 'block'"),
            ({"line_skip": "-1"}, "its line skip is -1"),
            ({"line_skip": "1000"}, "does not have 1,000 lines to skip"),
            ({"byte_skip": "-1", "encoding": "gzip"}, "its byte skip -1"),
            ({"byte_skip": "-1", "encoding": "ascii"}, "its byte skip -1"),
            ({"byte_skip": "-1", "sizes": "4 6 1000"}, "has fewer than the 48,000 bytes"),
            ({"sizes": "4 6 1000000000000000000"}, "beyond all limits"),
            ({"data_file": "s%d 1 10 1", "encoding": "gzip"}, "in several files that are compressed"),
        )
    ):
        path = tmp_path / f"{number}.nrrd"
        write(path, "\n", VALUES.tobytes().replace(b"\n", b"x"), **fields)
        with pytest.raises(StoreError, match=rf"{number}\.nrrd cannot be read as NRRD: .*{why}"):
            zarrcore.open_hierarchy(path)
    (tmp_path / "long.nrrd").write_bytes(b"NRRD0004\n" + b"# comment\n" * 200_000)
    with pytest.raises(StoreError, match="its header has more than 1,048,576 bytes"):
        zarrcore.open_hierarchy(tmp_path / "long.nrrd")
    write(tmp_path / "short.nrrd", "\n", VALUES.tobytes()[:-1])
    with (
        zarrcore.open_hierarchy(tmp_path / "short.nrrd") as hierarchy,
        pytest.raises(ZarrError, match="ends at byte"),
    ):
        hierarchy["0"][...]
    for text, why in (
        (b"1 2 3", "ends at byte"),
        (b"1 two", "its text is broken"),
        (b"99999 ", "its text is broken"),
    ):
        write(tmp_path / "text.nrrd", "\n", text, encoding="ascii")
        with (
            zarrcore.open_hierarchy(tmp_path / "text.nrrd") as hierarchy,
            pytest.raises(ZarrError, match=why),
        ):
            hierarchy["0"][...]
    write(tmp_path / "missing.nhdr", "", data_file="nothing")
    with (
        zarrcore.open_hierarchy(tmp_path / "missing.nhdr") as hierarchy,
        pytest.raises(ZarrError, match="does not exist"),
    ):
        hierarchy["0"][...]


def test_a_file_that_is_replaced_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrcore.stores.virtual.parsed_file._CHECKED_EACH_S", -1.0)
    write(tmp_path / "a.nrrd", "\n", VALUES.tobytes())
    store = NrrdSource(LocalStore(tmp_path), "a.nrrd", str(tmp_path / "a.nrrd"))
    assert b"[10, 6, 4]" in store.get("0/zarr.json")
    write(tmp_path / "a.nrrd", "\n", VALUES.tobytes(), sizes="4 6 2")
    assert b"[2, 6, 4]" in store.get("0/zarr.json")
    store.refresh()
    store.close()
