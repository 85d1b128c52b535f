"""Packages that decode, and what their exceptions mean."""

from pathlib import Path

import pytest

import zarrcore as zc
from zarrcore.codecs.optional_package import failure, optional_package


def test_a_missing_package_is_an_unsupported_codec() -> None:
    with pytest.raises(
        zc.UnsupportedError, match=r"turbo.*needs an optional package: pip install 'zarrscope\[x\]'"
    ):
        optional_package("nothing_like_it", "turbo", "x")


def test_a_package_that_fails_is_not_a_missing_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "package_without_library.py").write_text("raise ImportError('libx.so.1: not found')")
    with pytest.raises(zc.InternalError, match="cannot be imported: libx"):
        optional_package("package_without_library", "turbo", "x")


def test_only_an_error_of_decoding_says_that_the_chunk_is_damaged() -> None:
    damaged = failure(RuntimeError("bad\nheader"), "turbo", "the image is broken: ")
    assert isinstance(damaged, zc.CodecError)
    assert "the image is broken: bad header" in str(damaged)
    lacking = failure(ImportError("no module turbo"), "turbo")
    assert isinstance(lacking, zc.InternalError)
    assert not isinstance(lacking, zc.CodecError)
    for error in (MemoryError(), zc.UnsupportedError("codec", "turbo")):
        with pytest.raises(type(error)) as caught:
            failure(error, "turbo")
        assert caught.value is error
