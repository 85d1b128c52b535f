"""Each target for examples, kept inputs, and changed ones: the short form of ``packaging/prove fuzz-…``."""

from __future__ import annotations

import random

import pytest

from tests.campaigns import ALL
from tests.proofs.fuzz.corpus import kept_inputs
from tests.proofs.fuzz.target import load_target, target_names


@pytest.mark.parametrize("name", target_names())
def test_examples_and_kept_inputs(name: str) -> None:
    target = load_target(name)
    inputs = [b"", *target.examples(), *kept_inputs(name)]
    for data in inputs:
        target.check(data)
    random_number = random.Random(name)
    for _ in range(50 if ALL else 10):
        target.check(changed(bytearray(random_number.choice(inputs)), random_number))


def changed(data: bytearray, random_number: random.Random) -> bytes:
    """The data with a few bytes set, removed or repeated."""
    for _ in range(random_number.randint(1, 4)):
        at = random_number.randint(0, len(data))
        match random_number.randrange(3):
            case 0:
                data[at : at + 1] = random_number.randbytes(1)
            case 1:
                del data[at : at + random_number.randint(1, 8)]
            case _:
                data[at:at] = data[at : at + random_number.randint(1, 8)]
    return bytes(data)
