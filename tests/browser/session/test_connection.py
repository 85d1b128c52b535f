"""Saved requests for sources: connection options, but not credentials."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrbrowser.session.completion import folders_like
from zarrbrowser.session.connection import OPTIONS, Connection
from zarrbrowser.session.history import History, Visit
from zarrbrowser.session.request_lines import from_line, to_line
from zarrbrowser.session.sources import RecentSources, SourceRequest
from zarrcore.stores.options import StoreOptions

WORDS = st.text("abc:/.-", max_size=8)


@given(
    st.builds(
        SourceRequest,
        WORDS.filter(bool),
        WORDS.map(lambda text: "/" + text),
        st.sampled_from([None, "v2"]),
        st.builds(Connection, WORDS, WORDS, WORDS, st.booleans(), st.booleans()).map(
            lambda connection: None if connection == Connection() else connection
        ),
    )
)
def test_a_saved_request_is_restored(request_: SourceRequest) -> None:
    assert from_line(to_line(request_)) == request_


def test_credentials_are_not_saved() -> None:
    options = StoreOptions(
        headers={"Authorization": "Bearer secret"}, region="eu-west-1", profile="work", anonymous=False
    )
    text = to_line(SourceRequest("s3://bucket/a", options=options))
    assert "secret" not in text
    assert from_line(text) == SourceRequest(
        "s3://bucket/a", options=Connection(region="eu-west-1", profile="work")
    )
    user = Connection("http://user:secret@host")
    assert "secret" not in to_line(SourceRequest("s3://bucket/a", options=user))


@pytest.mark.parametrize(
    "text",
    ["", "one", "[]", "{}", '{"address": 3}', '{"address": ""}', '{"address": "a", "region": 1}', "null"],
)
def test_malformed_lines_are_ignored(text: str) -> None:
    assert from_line(text) is None


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


def test_a_typed_address_uses_the_options_of_last_time() -> None:
    recent, connection = RecentSources(), Connection(anonymous=True)
    recent.add(SourceRequest("s3://bucket/a.zarr", format="v2", options=connection))
    assert recent.known(SourceRequest("s3://bucket/a.zarr/", "/x")) == SourceRequest(
        "s3://bucket/a.zarr/", "/x", "v2", connection
    )
    other = SourceRequest("s3://bucket/a.zarr", options=Connection(region="x"))
    assert recent.known(other) is other
    assert recent.known(SourceRequest("s3://bucket/b.zarr")).options is None


STEPS = st.lists(st.sampled_from(["back", "forward", "/a", "/b", "/c"]), max_size=30)


@given(STEPS)
def test_back_and_forward_behave_like_two_stacks(steps: list[str]) -> None:
    history, before, after = History(), list[str](), list[str]()
    for step in steps:  # modelled as two stacks and the present place
        if step == "back":
            found = history.back()
            if len(before) > 1:
                after.append(before.pop())
                assert found is not None
                assert found.path == before[-1]
            else:
                assert found is None
        elif step == "forward":
            found = history.forward()
            if after:
                before.append(after.pop())
                assert found is not None
                assert found.path == before[-1]
            else:
                assert found is None
        else:
            history.visit(Visit("x", "x", step, ""))
            if not before or before[-1] != step:
                before.append(step)
                after.clear()
        assert (history.can_go_back, history.can_go_forward) == (len(before) > 1, bool(after))


def test_paths_are_completed_by_folders_and_zip_files(tmp_path: Path) -> None:
    for name in ("scan_1.zarr", "scan_2.zarr", ".hidden", "other"):
        (tmp_path / name).mkdir()
    for name in ("scan.ozx", "scan.zip", "scan.txt"):
        (tmp_path / name).touch()
    expected = [f"{tmp_path}/{name}" for name in ("scan.ozx", "scan.zip", "scan_1.zarr", "scan_2.zarr")]
    assert folders_like(f"{tmp_path}/sc") == expected
    assert folders_like(f"{tmp_path}/") == [f"{tmp_path}/other", *expected]
    assert folders_like(f"{tmp_path}/.h") == [f"{tmp_path}/.hidden"]
    for nothing in (f"{tmp_path}/none/x", "s3://bucket/x", "", "x\0", "/\0/x"):
        assert folders_like(nothing) == []


def test_a_connection_has_a_field_for_each_option_in_forms() -> None:
    assert {field.name for field in fields(Connection)} == {option.name for option in OPTIONS}
    assert all(option.argument and (option.is_flag or option.example) for option in OPTIONS)
