"""Codecs that are refused by name."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.codecs.zarrs_pipelines import URL
from zarrcore.codecs import ArraySpec, completed
from zarrcore.errors import UnsupportedError
from zarrcore.metadata import NamedConfiguration
from zarrcore.metadata.fill_value import zero


@pytest.mark.parametrize("name", ["zarrs.gdeflate", "gdeflate", f"{URL}/bytes_to_bytes/gdeflate"])
def test_gdeflate_is_refused_in_one_sentence(name: str) -> None:
    with pytest.raises(UnsupportedError, match="needs GDeflate, for which Python has no decoder"):
        completed(
            [NamedConfiguration("bytes"), NamedConfiguration(name)],
            ArraySpec((2,), np.dtype("u1"), zero(np.dtype("u1"))),
        )
