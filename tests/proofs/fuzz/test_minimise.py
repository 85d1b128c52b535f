"""The inputs that are kept run everything that all inputs run."""

from __future__ import annotations

from contextlib import suppress

from tests.proofs.fuzz.minimise import chosen_inputs, transitions
from zarrcore.sizes import parse_size


def check(data: bytes) -> None:
    with suppress(ValueError):
        parse_size(data.decode())


INPUTS = [b"", b"1", b"2", b"1k", b"2k", b"1.5k", b"x", b"1kb"]


def test_inputs_that_run_nothing_new_are_left_out() -> None:
    assert chosen_inputs(check, INPUTS, 10) != INPUTS
    chosen = chosen_inputs(check, INPUTS, 10)
    assert b"2" not in chosen
    assert b"2k" not in chosen
    everything = set().union(*(transitions(check, data) for data in INPUTS))
    assert set().union(*(transitions(check, data) for data in chosen)) == everything
    assert len(chosen_inputs(check, INPUTS, 2)) == 2


def test_only_the_product_is_traced() -> None:
    assert {code.co_name for code, _, _ in transitions(check, b"1")} == {"parse_size"}
    assert transitions(lambda data: None, b"1") == set()


def test_a_check_that_fails_is_traced_too() -> None:
    assert transitions(lambda data: parse_size(data.decode()), b"x") == transitions(check, b"x")
