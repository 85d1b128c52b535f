"""Objects of other packages, by name."""

from __future__ import annotations

import importlib.metadata

import pytest

from tests.other_package import forget_extensions
from zarrcore import extensions
from zarrcore.codecs.registry import codec_class
from zarrcore.errors import UnsupportedError


def test_unknown_names_search_the_installed_packages_once(monkeypatch: pytest.MonkeyPatch) -> None:
    searches = []
    real = importlib.metadata.entry_points

    def counted(**parameters: str) -> object:
        searches.append(parameters)
        return real(**parameters)

    forget_extensions()
    monkeypatch.setattr(extensions, "entry_points", counted)
    for number in range(10):
        with pytest.raises(UnsupportedError, match="is not supported"):
            codec_class(f"unknown-{number}")
    assert len(searches) == 1
