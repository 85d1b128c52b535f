"""Kept inputs survive as a file, the same file for the same inputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.proofs.fuzz import corpus
from tests.proofs.fuzz.corpus import MAX_INPUTS, MAX_NBYTES, keep_inputs, kept_findings, kept_inputs


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(corpus, "FOLDER", tmp_path / "corpora")
    return tmp_path / "corpora"


def test_inputs_are_kept_with_those_of_findings(folder: Path) -> None:
    assert kept_inputs("x") == []
    keep_inputs("x", [b"a", b"", b"found", b"a"], [b"found"])
    assert sorted(kept_inputs("x")) == [b"", b"a", b"found"]
    assert kept_findings("x") == [b"found"]
    content = (folder / "x.zip").read_bytes()
    keep_inputs("x", [b"", b"a"], [b"found"])
    assert (folder / "x.zip").read_bytes() == content


@pytest.mark.parametrize(
    "inputs", [[bytes([n >> 8, n & 255]) for n in range(MAX_INPUTS + 1)], [bytes(MAX_NBYTES + 1)]]
)
def test_too_much_is_refused(folder: Path, inputs: list[bytes]) -> None:
    with pytest.raises(ValueError, match="x: more than"):
        keep_inputs("x", inputs, [])
    assert not folder.exists()
