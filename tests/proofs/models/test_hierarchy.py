"""Some steps of the model of a hierarchy: the short form of ``packaging/prove hierarchy-model``."""

from __future__ import annotations

import pytest

from tests.proofs.models.hierarchy import FORMATS, trial


@pytest.mark.parametrize("name", FORMATS)
def test_a_hierarchy_agrees_with_a_dictionary_of_arrays(name: str) -> None:
    assert trial(FORMATS.index(name), runs=5, steps=25, shrinks=False) > 0
