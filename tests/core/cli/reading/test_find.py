"""``zarrscope find``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import zarrcore as zc
from tests.command import Run
from tests.servers import S3Server


@pytest.fixture
def source(tmp_path: Path) -> Path:
    with zc.create(tmp_path / "a.zarr", "v2") as made:
        made.create_group("/g", attributes={"unit": "mm", "version": "2", "scale": [1, 2]})
        made.create_array("/g/x", shape=(4, 5), dtype="float32", codecs=["gzip"])
        made.create_array(
            "/g/deep/y",
            shape=(2, 3),
            dtype="uint16",
            dimension_names=["y", "x"],
            attributes={"units": "K"},
        )
    return tmp_path / "a.zarr"


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), ["/", "/g", "/g/deep", "/g/deep/y", "/g/x"]),
        (("--kind", "array"), ["/g/deep/y", "/g/x"]),
        (("--name", "[xy]", "--dtype", "<f4"), ["/g/x"]),
        (("--path", "*deep*"), ["/g/deep", "/g/deep/y"]),
        (("--shape", "*,3"), ["/g/deep/y"]),
        (("--min-nbytes", "13", "--max-nbytes", "1K"), ["/g/x"]),
        (("--codec", "gzip"), ["/g/x"]),
        (("--attribute", "unit"), ["/g"]),
        (("--attribute", "unit=mm", "--attribute", "version=2"), ["/g"]),
        (("--attribute", "scale=[1, 2]"), ["/g"]),
        (("--convention", "cf variable"), ["/g/deep/y"]),
        (("--depth", "1"), ["/", "/g"]),
        (("g/deep",), ["/g/deep", "/g/deep/y"]),
    ],
)
def test_paths_of_nodes_that_fulfil_all_conditions(
    source: Path, zarrscope: Run, arguments: tuple[str, ...], expected: list[str]
) -> None:
    outcome = zarrscope("find", source, *arguments)
    assert (outcome.status, sorted(outcome.text.splitlines()), outcome.stderr) == (0, expected, "")


def test_nodes_as_objects(source: Path, zarrscope: Run) -> None:
    told = json.loads(zarrscope("find", source, "--name", "x", "--json").text)
    assert (told["path"], told["shape"], told["dtype"], told["nbytes"]) == ("/g/x", [4, 5], "float32", 80)


def test_the_exit_status_is_that_of_grep(source: Path, zarrscope: Run) -> None:
    assert zarrscope("find", source, "--name", "no").status == 1
    assert zarrscope("find", source.parent / "no").status == 2
    assert zarrscope("find", source, "--dtype", "flaot32").status == 2
    assert zarrscope("find", source, "--shape", "a,b").status == 2
    assert zarrscope("find", source, "--convention", "cf").status == 0
    assert zarrscope("find", source, "--convention", "plate").status == 1
    outcome = zarrscope("find", source, "--convention", "plates")
    assert outcome.status == 2
    assert "found 'plates': ome-ngff (plate, well," in outcome.stderr


def test_a_node_that_cannot_be_opened_is_trouble_if_it_might_be_wanted(source: Path, zarrscope: Run) -> None:
    (source / "g/x/.zarray").write_text("{")
    outcome = zarrscope("find", source, "--dtype", "uint16")
    assert (outcome.status, outcome.text) == (2, "/g/deep/y\n")
    assert outcome.stderr.startswith("zarrscope: /g/x cannot be opened: ")
    assert zarrscope("find", source, "--name", "y").status == 0
    outcome = zarrscope("find", source, "--kind", "broken")
    assert (outcome.status, outcome.text) == (0, "/g/x\n")


def test_a_bucket(source: Path, zarrscope: Run, s3: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint_url)
    s3.upload(source, "bucket/find.zarr")
    for arguments in ((), ("--codec", "gzip"), ("--convention", "cf"), ("g/deep", "--kind", "array")):
        here, there = (
            zarrscope("find", place, *arguments, "--json") for place in (source, "s3://bucket/find.zarr")
        )
        assert (there.status, sorted(there.text.splitlines())) == (0, sorted(here.text.splitlines()))
        assert there.text.count("\n") == {(): 5, ("g/deep", "--kind", "array"): 1}.get(arguments, 1)
    assert zarrscope("find", "s3://bucket/absent.zarr").status == 2
