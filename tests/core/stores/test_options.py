"""Options of stores: validation, and the one table that everything else is made from."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

from tests.core.stores.table_of_options import DOCUMENT, with_table
from zarrcore.errors import StoreError
from zarrcore.stores import STORE_OPTIONS, StoreOption, StoreOptions, open_store

WRONG_OPTIONS: list[tuple[dict[str, object], str]] = [
    ({"timeout_s": 0}, "the timeout must be"),
    ({"timeout_s": float("nan")}, "the timeout must be"),
    ({"timeout_s": float("inf")}, "the timeout must be"),
    ({"retries": -1}, "the number of retries must be"),
    ({"headers": {"X-Token": "geheim日本"}}, "the header X-Token"),
    ({"headers": {"X-Token": "geheim\r\nHost: x"}}, "the header X-Token"),
    ({"headers": {"geheim token": "x"}}, "the name of a header"),
    ({"headers": {"": "geheim"}}, "the name of a header"),
    ({"endpoint_url": "http://geheim:99999"}, "the endpoint needs the name of a server"),
    ({"targets": "all"}, "targets is own or shared"),
    ({"allow_targets": "/data"}, "allow_targets is a list"),
    ({"allow_targets": [""]}, "is no place to allow"),
    ({"allow_targets": ["s3://"]}, "is no place to allow"),
    ({"allow_targets": ["https:///x"]}, "is no place to allow"),
    ({"endpoint_url": "geheim:9000"}, "the endpoint needs the name of a server"),
]


@pytest.mark.parametrize(("wrong", "said"), WRONG_OPTIONS)
def test_invalid_options_are_refused(wrong: dict[str, object], said: str) -> None:
    with pytest.raises(StoreError, match=said) as caught:
        open_store("http://127.0.0.1:1/", **wrong)
    assert "geheim" not in str(caught.value)
    with pytest.raises(StoreError):
        StoreOptions(**wrong)


def test_the_table_has_one_entry_for_each_field() -> None:
    assert [entry.name for entry in STORE_OPTIONS] == [
        field.name for field in dataclasses.fields(StoreOptions)
    ]
    assert all(getattr(StoreOptions(), entry.name) == entry.default for entry in STORE_OPTIONS)


@pytest.mark.parametrize("entry", STORE_OPTIONS, ids=lambda entry: entry.name)
def test_an_option_changes_the_identity_only_if_it_changes_answers(entry: StoreOption) -> None:
    other = {
        bool: True,
        int: 5,
        float: 5.0,
        dict: {"A": "b"},
        tuple: ("/data",),
        str: "shared",
        type(None): "http://host:1",
    }[type(entry.default)]
    if entry.annotation == "float | None":
        other = 5.0
    options = StoreOptions(**{entry.name: other})
    assert (options.identity != StoreOptions().identity) == entry.is_identity
    assert pickle.loads(pickle.dumps(options)) == options


def test_neither_repr_nor_identity_contains_a_secret() -> None:
    for secret in ({"headers": {"Authorization": "geheim"}}, {"secret_access_key": "geheim"}):
        options = StoreOptions(**secret)
        assert "geheim" not in repr(options)
        assert b"geheim" not in options.identity


def test_an_unknown_option_is_named() -> None:
    with pytest.raises(TypeError, match=r"^a store has no option 'anonymus': did you mean 'anonymous'\?$"):
        open_store("memory://", anonymus=True)


def test_the_table_in_the_documents_is_up_to_date() -> None:
    text = DOCUMENT.read_text("utf-8")
    assert text == with_table(text), "run: python -m tests.core.stores.table_of_options"
