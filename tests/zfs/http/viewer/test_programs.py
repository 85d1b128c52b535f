"""The viewer's programs, run by Node.js: elements as in NumPy, requests as large as a screen, and states in addresses."""

from __future__ import annotations

import io
import json
import math
import shutil
import subprocess
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zarrcore as zc
from zarrcore.array import parse_selection

PROGRAMS = Path(str(files("zarrfs.http.viewer")))
HERE = Path(__file__).parent
pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")

NUMBERS = [
    "?",
    *(
        f"{order}{kind}"
        for order in "<>"
        for kind in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8")
    ),
]


def run(script: str, program: str, *arguments: str, text: str = "") -> list[Any]:
    """The lines of JSON that a script prints."""
    command = ["node", str(HERE / script), str(PROGRAMS / program), *arguments]
    done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def read(path: Path, arrays: Sequence[np.ndarray], names: Sequence[str] | None = None) -> list[Any]:
    """What the viewer reads from files with these arrays."""
    arguments = []
    for number, array in enumerate(arrays):
        np.save(path / f"{number}.npy", array)
        arguments.append(f"{path / f'{number}.npy'}={names[number] if names else array.dtype}")
    return run("read_npy.mjs", "npy.js", *arguments)


def extremes(dtype: np.dtype[Any]) -> list[Any]:
    """Values at the ends of a type, and some between."""
    if dtype.kind == "b":
        return [True, False]
    if dtype.kind in "iu":
        bounds = np.iinfo(dtype)
        return [bounds.min, bounds.max, 0, 1, bounds.max // 3]
    floats = np.finfo(dtype)
    return [
        0.0,
        -0.0,
        1.5,
        -2.25,
        0.1,
        floats.max,
        floats.tiny,
        floats.smallest_subnormal,
        np.inf,
        -np.inf,
        np.nan,
    ]


def test_numbers_are_those_of_numpy(tmp_path: Path) -> None:
    arrays = [np.array([extremes(np.dtype(name))] * 2, dtype=name) for name in NUMBERS]
    for array, found in zip(arrays, read(tmp_path, arrays), strict=True):
        assert tuple(found["shape"]) == array.shape
        assert found["values"] is not None
        values = np.array([float(text) for text in found["values"]]).reshape(array.shape)
        np.testing.assert_array_equal(values, array.astype("f8"), err_msg=str(array.dtype))
        if array.dtype.kind in "iu":  # as text, integers of 64 bits are exact
            assert [int(text) for text in found["texts"]] == array.reshape(-1).tolist()
        elif array.dtype.kind == "f":
            texts = np.array([float(text) for text in found["texts"]]).astype(array.dtype)
            np.testing.assert_array_equal(texts, array.reshape(-1))
    assert read(tmp_path, [np.array([0.1], "f4")])[0]["texts"] == ["0.1"]


def test_complex_numbers_are_drawn_by_their_magnitude(tmp_path: Path) -> None:
    arrays = [np.array([3 + 4j, -1 - 0.5j, 0], dtype=name) for name in ("<c8", ">c8", "<c16", ">c16")]
    for found in read(tmp_path, arrays):
        assert [float(text) for text in found["values"]] == [5, math.hypot(1, 0.5), 0]
        assert found["texts"] == ["3 + 4i", "-1 − 0.5i", "0 + 0i"]


def test_texts_times_and_arrays_of_any_rank(tmp_path: Path) -> None:
    times = np.array(["2024-02-29", "NaT"], dtype="M8[D]")
    arrays = [
        np.array(["aé", "𝄞", ""], dtype="<U3"),
        np.array(["aé", "𝄞", ""], dtype=">U3"),
        np.array([b"ab", b"c\xc3\xa9"], dtype="S4"),
        times,
        np.array(["2024-02-29T12:30:00"], dtype="M8[s]"),
        np.array([5], dtype="m8[h]"),
        np.array(7.5),
        np.zeros((0, 3), "i2"),
    ]
    found = read(tmp_path, arrays)
    assert [each["texts"] for each in found] == [
        ["aé", "𝄞", ""], ["aé", "𝄞", ""], ["ab", "cé"], ["2024-02-29", "NaT"], ["2024-02-29T12:30:00"], ["5 h"], ["7.5"], [],
    ]  # fmt: skip
    assert [each["values"] is None for each in found] == [True, True, True, *[False] * 5]
    assert found[3]["values"] == ["19782", "NaN"]
    assert [each["shape"] for each in found[-2:]] == [[], [0, 3]]


def test_a_type_that_numpy_files_hold_as_bytes_is_read_by_its_name(tmp_path: Path) -> None:
    array = zc.create(tmp_path / "a.zarr").create_array("x", shape=(3,), dtype="bfloat16")
    array[...] = np.array([1.5, -2, 0.1]).astype(array.dtype)
    found = read(tmp_path, [np.asarray(array[...]).view("V2")], ["bfloat16"])[0]
    assert [float(text) for text in found["values"]] == np.asarray(array[...]).astype("f8").tolist()


@pytest.mark.parametrize("array", [np.zeros(2, [("a", "i4")]), np.zeros(2, "V3"), b"<html>"])
def test_what_cannot_be_drawn_is_an_error_with_a_sentence(tmp_path: Path, array: Any) -> None:
    stream = io.BytesIO()
    if isinstance(array, bytes):
        stream.write(array)
    else:
        np.save(stream, array)
    (tmp_path / "x.npy").write_bytes(stream.getvalue())
    with pytest.raises(AssertionError, match=r"cannot be drawn|no NumPy file"):
        run("read_npy.mjs", "npy.js", f"{tmp_path / 'x.npy'}=other")


def array_of(*shape: int, **more: Any) -> dict[str, Any]:
    return {"place": "/x", "shape": shape, "dimensions": [], "is_colour": False, "is_text": False, **more}


LEVELS = [
    {"place": f"/x/{n}", "shape": [8000 >> n, 6000 >> n], "factors": [2**n] * 2, "begins": [0, 0]}
    for n in range(5)
]
ARRAYS = [
    array_of(), array_of(1), array_of(7), array_of(1_000_000), array_of(3, 5), array_of(90_000, 100_000), array_of(2, 70_000),
    array_of(5, 6, 400, 3000), array_of(500, 700, 3, is_colour=True), array_of(4, 500, 700, 3, is_colour=True),
    array_of(8000, 6000, levels=LEVELS),
]  # fmt: skip
FRAGMENTS = [
    "", "#/x", "#/x?zoom=3&centre=0.2,0.9", "#/x?zoom=4096&centre=0,1", "#/x?rows=0&columns=1", "#/x?columns=0", "#/x?at=1.2.3.4",
    "#/x?at=99999999.-1&zoom=NaN&centre=a,b&range=1,&rows=7&columns=1e3&cut=80&map=%3Cb%3E&from=-1,x",
    "#/x?range=-1.5,2&map=magma&cut=0",
]  # fmt: skip


def test_no_more_is_requested_than_the_screen_shows() -> None:
    cases = [
        {"array": array, "fragment": fragment, "screen": screen}
        for array in ARRAYS
        for fragment in FRAGMENTS
        for screen in ([600, 800], [333, 211], [1, 1])
    ]
    for case, found in zip(cases, run("scenes.mjs", "scene.js", text=json.dumps(cases)), strict=True):
        array, screen = case["array"], case["screen"]
        assert found["again"] == found["written"], case
        assert all(0 <= i < n for i, n in zip(found["state"]["indices"], array["shape"], strict=True))
        needed = found["needed"]
        assert needed is not None, case
        level = next((one for one in LEVELS if needed["address"].startswith(f"{one['place']}/")), array)
        text = needed["address"].removeprefix(f"{level['place']}/").removesuffix(".npy")
        shape = np.broadcast_to(np.int8(0), level["shape"])[
            () if text == "data" else parse_selection(text)
        ].shape
        counts = [one["count"] for one in needed["ranges"]]
        if array["is_colour"]:
            assert shape[-1] == 3
            shape = shape[:-1]
        assert sorted(shape) == sorted(counts)[len(counts) - len(shape) :], case
        for count, pixels in zip(counts, screen, strict=True):
            assert 1 <= count <= 1.5 * pixels + 3, case
        table = found["table"]["ranges"]
        assert all(one["count"] <= most for one, most in zip(table, (100, 20), strict=False))


def test_a_plane_of_an_image_comes_from_the_level_that_fits() -> None:
    cases = [
        {"array": array_of(8000, 6000, levels=LEVELS), "fragment": f"#/x?zoom={zoom}", "screen": [1000, 750]}
        for zoom in (1, 2, 4, 8, 64)
    ]
    found = run("scenes.mjs", "scene.js", text=json.dumps(cases))
    assert [each["needed"]["address"].split("/")[2] for each in found] == ["3", "2", "1", "0", "0"]
    assert found[0]["needed"]["address"] == "/x/3/0:1000,0:750.npy"


def test_colours_contrast_and_missing_elements() -> None:
    def paint(texts: list[str], shape: list[int], missing: list[str], **more: Any) -> Any:
        case = {"isLong": False, "cut": 0, "map": "gray", "isTransposed": False, **more}
        case |= {"texts": texts, "shape": shape, "missing": missing}
        return run("pixels.mjs", "colours.js", text=json.dumps(case))[0]

    found = paint(["0", "NaN", "1", "-9"], [2, 2], ["-9.0", "nan"])
    assert (found["range"], found["missing"]) == ([0, 1], [False, True, False, True])
    assert found["pixels"] == [0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0]
    turned = paint(["0", "1", "2", "3", "4", "5"], [2, 3], [], isTransposed=True)["pixels"][::4]
    assert turned == [0, 153, 51, 204, 102, 255]
    near = paint([str(2**62 + 1), str(2**62)], [1, 2], [str(2**62)], isLong=True)
    assert near["missing"] == [False, True]
    percentiles = paint([str(n) for n in range(101)], [1, 101], [], cut=10)
    assert percentiles["range"] == [10, 90]
    rare = paint(["0"] * 999 + ["7"], [1, 1000], [], cut=1)
    assert rare["range"] == [0, 7]
    labels = paint(["0", "1", "2", "1"], [1, 4], [], map="labels")["pixels"]
    assert labels[:4] == [0, 0, 0, 255]
    assert labels[4:8] == labels[12:16] != labels[8:12]
    colour = paint(["0", "100", "255"], [1, 1, 3], [])
    assert colour["pixels"] == [0, 100, 255, 255]
