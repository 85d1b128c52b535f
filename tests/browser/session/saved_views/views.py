"""Any saved views, for properties."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from zarrbrowser.session.connection import Connection
from zarrbrowser.session.saved_views.view import BadViewError, SavedView, path_of, title_of
from zarrbrowser.session.sources import SourceRequest


def refusal(parse: Callable[[], object]) -> str:
    """Why a text is not a view: one sentence; empty if it is one. Any other error escapes."""
    try:
        parse()
    except BadViewError as error:
        said = str(error)
        assert said.endswith("."), said
        assert "\n" not in said
        return said
    return ""


NAMES = st.text("abc é%&=?#+/.\U0001f600", max_size=12)
ADDRESSES = st.one_of(
    NAMES.map(lambda name: f"/data/{name}"),
    NAMES.map(lambda name: "s3://bucket/" + name.replace("?", "")),
    NAMES.map(lambda name: "https://example.org/" + name.replace("?", "")),
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**64), 2**64)
    | st.floats(allow_nan=False, allow_infinity=False)
    | NAMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)


@st.composite
def views(draw: st.DrawFn, *, is_private: bool = True) -> SavedView:
    """A view; one that is not private has only what others may open."""
    connection = Connection(
        draw(st.sampled_from(["", "https://host:9000", "http://10.0.0.1/a?b"])),
        draw(st.sampled_from(["", "eu-west-1"])),
        draw(st.sampled_from(["", "work"])) if is_private else "",
        draw(st.booleans()),
        draw(st.booleans()) if is_private else False,
    )
    if not is_private and connection.endpoint_url:
        connection = Connection(connection.endpoint_url, connection.region, anonymous=True)
    request = SourceRequest(
        draw(ADDRESSES),
        path_of(draw(NAMES)),
        draw(st.sampled_from([None, "v2", "n5"])),
        connection if connection != Connection() else None,
    )
    title = title_of(draw(NAMES)) or title_of(request.path)
    return SavedView(title, request, draw(NAMES), draw(st.dictionaries(NAMES, VALUES, max_size=4)))
