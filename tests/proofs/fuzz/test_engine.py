"""Findings are kept once for each place, with the shortest input."""

from __future__ import annotations

from pathlib import Path

from tests.proofs.fuzz.engine import Findings


def failure(text: str) -> BaseException:
    try:
        if text == "first":
            raise ValueError(text)
        raise SystemExit(text)
    except BaseException as error:  # noqa: BLE001
        return error


def test_the_shortest_input_of_each_place_is_kept(tmp_path: Path) -> None:
    findings = Findings(tmp_path)
    for data, text in ((b"long", "first"), (b"ab", "first"), (b"abc", "first"), (b"x", "second")):
        findings.add(data, failure(text))
    inputs = {
        path.read_bytes(): path.with_suffix(".txt").read_text()
        for path in tmp_path.iterdir()
        if not path.suffix
    }
    assert set(inputs) == {b"ab", b"x"}
    assert inputs[b"ab"].endswith("ValueError: first\n")
    assert inputs[b"x"].endswith("SystemExit: second\n")
