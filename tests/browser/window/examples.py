"""A hierarchy with a group, arrays and a broken node."""

from __future__ import annotations

import numpy as np

from tests.browser.fakes import FakeArray, FakeBroken, FakeGroup
from zarrcore.errors import MetadataError


def example() -> FakeGroup:
    group = FakeGroup({"inner": FakeArray(np.zeros((2, 3)))})
    return FakeGroup(
        {
            "image": FakeArray(np.zeros((4, 5))),
            "group": group,
            "bad": FakeBroken(MetadataError("expected a list")),
        },
        {"title": "an example"},
    )
