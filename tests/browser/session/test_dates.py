"""Dates as they are typed and written."""

from __future__ import annotations

import numpy as np
import pytest

from zarrbrowser.session.dates import count_of_date


@pytest.mark.parametrize("text", ["", "NaT", " nat ", "yesterday"])
def test_text_that_is_not_a_date(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - NumPy has words of its own
        count_of_date(text, np.dtype("M8[s]"))
