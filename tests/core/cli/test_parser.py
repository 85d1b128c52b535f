"""Words of a command line: options anywhere, values that begin with a minus sign, and ``--``."""

from __future__ import annotations

from pathlib import Path

import pytest

import zarrcore
from tests.command import run_inside
from zarrcore.cli.parser import CommandParser


def _parser() -> CommandParser:
    parser = CommandParser(prog="x")
    parser.add_argument("source")
    parser.add_argument("paths", nargs="*")
    parser.add_argument("-s", "--select")
    parser.add_argument("--several", nargs="+")
    parser.add_argument("-v", action="store_true")
    parser.add_argument("-w", action="store_true")
    return parser


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("a --select -1,: b", {"source": "a", "paths": ["b"], "select": "-1,:"}),
        ("a -s -1,: b", {"source": "a", "paths": ["b"], "select": "-1,:"}),
        ("-vs -x a", {"source": "a", "select": "-x", "v": True}),
        ("a -s-x -wv", {"source": "a", "select": "-x", "v": True, "w": True}),
        ("a --select=-v -v", {"source": "a", "select": "-v", "v": True}),
        ("a --select= b", {"source": "a", "paths": ["b"], "select": ""}),
        ("a --select - b", {"source": "a", "paths": ["b"], "select": "-"}),
        ("a -5 -", {"source": "a", "paths": ["-5", "-"]}),
        ("-- a --select -v", {"source": "a", "paths": ["--select", "-v"]}),
        ("a -v -- -b", {"source": "a", "paths": ["-b"], "v": True}),
        ("-v -- a -b", {"source": "a", "paths": ["-b"], "v": True}),
        ("a b -v -- -c d", {"source": "a", "paths": ["b", "-c", "d"], "v": True}),
        ("a --several b c -v d", {"source": "a", "paths": ["d"], "several": ["b", "c"], "v": True}),
    ],
)
def test_words_are_understood(words: str, expected: dict[str, object]) -> None:
    nothing = {"paths": [], "select": None, "several": None, "v": False, "w": False}
    assert vars(_parser().parse_args(words.split(" "))) == {**nothing, **expected}


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("a --select", "argument -s/--select: expected one argument"),
        ("a --select -v", "argument -s/--select: expected one argument"),
        ("a --select -- -b", "argument -s/--select: expected one argument"),
        ("a --slect 1", "unrecognized arguments: --slect: did you mean '--select'?"),
        ("a --sel=1", "unrecognized arguments: --sel=1: did you mean '--select'?"),
        ("a -x", "unrecognized arguments: -x"),
    ],
)
def test_words_are_refused(words: str, complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        _parser().parse_args(words.split(" "))
    assert capsys.readouterr().err.endswith(f"error: {complaint}\n")


def test_a_command_without_arguments() -> None:
    parser = CommandParser(prog="x")
    parser.add_argument("-v", action="store_true")
    for words, is_set in (([], False), (["-v"], True), (["--"], False)):
        assert parser.parse_args(words).v is is_set


def test_names_that_begin_with_a_minus_sign(tmp_path: Path) -> None:
    place = tmp_path / "a.zarr"
    zarrcore.create(place)["-x"] = [1, 2]
    assert run_inside("cat", "--as", "json", "--", place, "-x").text == "[1, 2]\n"
    assert run_inside("find", place, "--name", "-*").text == "/-x\n"
    assert run_inside("mv", "--", place, "-x", "--y").status == 0
    assert run_inside("cat", "--as", "json", place, "--", "--y").text == "[1, 2]\n"


def test_a_minus_sign_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    zarrcore.create("a.zarr")["x"] = [1, 2]
    for words in (("-o", "-"), ("--output=-",)):
        assert run_inside("cat", "a.zarr", "x", "--as", "json", *words).text == "[1, 2]\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.zarr"]


def test_consolidate_refuses_a_node_below_the_root(tmp_path: Path) -> None:
    zarrcore.create(tmp_path / "a.zarr")["g/x"] = [1, 2]
    refused = run_inside("consolidate", f"{tmp_path}/a.zarr#/g")
    assert refused.status == 2
    assert "name it without #/g" in refused.stderr
    assert run_inside("consolidate", f"{tmp_path}/a.zarr#/").text.startswith(
        "the root holds the metadata of "
    )


def test_no_advice_is_told(tmp_path: Path) -> None:
    zarrcore.create(tmp_path / "a.zarr")["x"] = [1, 2]
    assert run_inside("check", "--advise", tmp_path / "a.zarr").text == "nothing to advise\n"


@pytest.mark.parametrize(
    "words",
    [
        ("create", "b", "--dtype", "u1", "--shape", "5,,5"),
        ("create", "b", "--dtype", "u1", "--shape", ",5"),
        ("create", "b", "--dtype", "u1", "--shape", "5,5", "--chunks", "2,,2"),
        ("find", "--shape", "5,,5"),
        ("find", "--shape", ""),
    ],
)
def test_no_length_is_left_out(words: tuple[str, ...], tmp_path: Path) -> None:
    zarrcore.create(tmp_path / "a.zarr")
    command, *rest = words
    refused = run_inside(command, tmp_path / "a.zarr", *rest)
    assert refused.status == 2
    assert "expected lengths such as" in refused.stderr
    assert len(zarrcore.open_group(tmp_path / "a.zarr")) == 0
