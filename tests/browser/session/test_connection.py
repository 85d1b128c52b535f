"""Saved connections: their options and their fields in forms."""

from __future__ import annotations

from dataclasses import fields

from zarrbrowser.session.connection import OPTIONS, Connection
from zarrcore.stores.options import StoreOptions


def test_options_are_those_of_the_store() -> None:
    connection = Connection("http://localhost:9000", "us-east-1", "", anonymous=True)
    options = connection.store_options()
    assert (options.endpoint_url, options.region, options.profile) == (
        "http://localhost:9000",
        "us-east-1",
        None,
    )
    assert options.anonymous
    assert Connection.of(options) == connection
    assert Connection.of(None).store_options() == StoreOptions()


def test_a_connection_has_a_field_for_each_option_in_forms() -> None:
    assert {field.name for field in fields(Connection)} == {option.name for option in OPTIONS}
    assert all(option.argument and (option.is_flag or option.example) for option in OPTIONS)
