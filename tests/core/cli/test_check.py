"""``zarrscope check``."""

from __future__ import annotations

import json
from pathlib import Path

import zarr

from tests.command import Run


def test_check_without_fault(zarrscope: Run, hierarchy: Path) -> None:
    done = zarrscope("check", hierarchy)
    assert (done.status, done.stderr) == (0, "")
    assert done.text == "nothing wrong  (22 chunks of 2 arrays decoded)\n"
    assert zarrscope("check", hierarchy, "line").text == "nothing wrong  (6 chunks of 1 array decoded)\n"
    assert zarrscope("check", hierarchy, "--no-decode").text.endswith("(22 chunks of 2 arrays found)\n")
    zarr.open_group(hierarchy).create_array("empty", shape=(3, 0), dtype="i4")
    assert zarrscope("check", hierarchy).text == "nothing wrong  (22 chunks of 3 arrays decoded)\n"
    assert zarrscope("cat", hierarchy, "empty", "--as", "json").text == "[[], [], []]\n"


def test_check_prints_errors_and_warnings(zarrscope: Run, hierarchy: Path) -> None:
    (hierarchy / "images/stack/c/0/0/0").write_bytes(b"broken")
    (hierarchy / "line/c/3").unlink()
    (hierarchy / "line/notes").write_bytes(b"")
    done = zarrscope("check", hierarchy)
    assert done.status == 1
    lines = done.text.splitlines()
    assert lines[0].startswith("error    images/stack/c/0/0/0  zstd: ")
    assert lines[1].startswith("warning  line/notes  ")
    assert lines[2].startswith("note     /line  1 of 6 chunks")
    assert lines[3].startswith("1 error, 1 warning, 1 note  (")
    told = json.loads(zarrscope("check", hierarchy, "--json").text)
    assert (told["error_count"], told["warning_count"], told["note_count"], told["is_decoded"]) == (
        1,
        1,
        1,
        True,
    )
    assert (told["format"], told["array_count"], told["chunk_count"]) == ("v3", 2, 21)
    assert set(told["findings"][0]) == {"severity", "what", "path", "key", "count", "sentence"}
    assert [finding["what"] for finding in told["findings"]] == [
        "broken-chunk",
        "stray-key",
        "missing-chunks",
    ]
    assert zarrscope("check", hierarchy, "line").status == 0, "warnings do not fail"
    assert zarrscope("check", hierarchy, "line", "--strict").status == 1
    assert len(zarrscope("check", hierarchy, "--quiet").text.splitlines()) == 3
