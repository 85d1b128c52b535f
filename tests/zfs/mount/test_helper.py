"""The helpers that mount(8) runs: their arguments and exit statuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from zarrfs.mount import helper


def test_a_fake_mount_succeeds_without_a_mount(tmp_path: Path) -> None:
    assert helper.main(["-f", "-n", "-v", str(tmp_path), str(tmp_path / "none")]) == 0


@pytest.mark.parametrize("arguments", [[], ["source"], ["--nonsense", "a", "b"], ["a", "b", "c"]])
def test_wrong_arguments_have_the_status_of_a_wrong_call(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert helper.main(arguments) == 1
    assert "usage:" in capsys.readouterr().err


def test_an_unknown_word_is_a_wrong_call_unless_mount_8_is_sloppy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    nowhere = str(tmp_path / "nowhere")
    call = [str(tmp_path), "-o", "nonsense,ro", nowhere]
    assert helper.main(call) == 1
    assert "nonsense" in capsys.readouterr().err
    assert helper.main(["-s", *call]) == 32
    assert capsys.readouterr().err == f"zarrscope: cannot mount at {nowhere}: there is no such directory\n"


def test_help_is_not_a_failure(capsys: pytest.CaptureFixture[str]) -> None:
    assert helper.main(["--help"]) == 0
    assert "-o WORD,..." in capsys.readouterr().out
