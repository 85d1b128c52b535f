"""Links to views: restored as they were, bounded, and safe to click."""

from __future__ import annotations

import base64
import random
import time
import zlib
from functools import partial
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.browser.session.saved_views.views import refusal, views
from tests.memory import forget_peak, peak_nbytes
from zarrbrowser.session.connection import Connection
from zarrbrowser.session.saved_views.links import MOST_LINK, is_link, link_of, view_of_link
from zarrbrowser.session.saved_views.untrusted import as_untrusted
from zarrbrowser.session.saved_views.view import BadViewError, SavedView
from zarrbrowser.session.sources import SourceRequest

STATE = {"rows": 1, "columns": 2, "index": [3, 0, 0], "place": [[0.5, 9.25], [1, 2]]}
VIEW = SavedView("raw, z = 3", SourceRequest("s3://bucket/a+b.zarr", "/raw/0", "v2"), "Image", STATE)
START = "zarrscope://view?version=1&address=/data/a.zarr"


def packed(data: bytes) -> str:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return base64.urlsafe_b64encode(packer.compress(data) + packer.flush()).decode().rstrip("=")


@given(views(is_private=False))
def test_a_link_gives_the_same_view(view: SavedView) -> None:
    link = link_of(view)
    assert link.isascii()
    assert link.isprintable()
    assert " " not in link
    assert urlsplit(link).scheme == "zarrscope"
    assert is_link(link)
    assert view_of_link(link) == view


def test_a_link_is_readable_and_short() -> None:
    link = link_of(VIEW)
    assert link.startswith(
        "zarrscope://view?version=1&title=raw%2C%20z%20%3D%203&address=s3://bucket/a%2Bb.zarr&"
    )
    assert "&path=/raw/0&" in link
    assert len(link) < 300


def test_a_name_that_is_not_utf8_survives() -> None:
    view = SavedView("a", SourceRequest("/data/\udce9.zarr", "/"))
    assert "%E9.zarr" in link_of(view)
    assert view_of_link(link_of(view)).request.address == "/data/\udce9.zarr"


@pytest.mark.parametrize(
    "change", [str.upper, lambda text: f"  {text}\n", lambda text: text.replace("view?", "view/?")]
)
def test_what_programs_do_to_links_is_understood(change: object) -> None:
    start = change("zarrscope://view?")  # type: ignore[operator]
    assert (
        view_of_link(start.rstrip("\n") + "version=1&address=/data/a.zarr").request.address == "/data/a.zarr"
    )


@given(st.text(max_size=80))
def test_any_text_after_the_start_is_a_view_or_gives_one_sentence(text: str) -> None:
    for link in (text, START + text, f"{START}&view={text}", f"zarrscope://view?{text}"):
        refusal(partial(view_of_link, link))


@given(st.binary(max_size=80))
def test_any_bytes_as_settings_are_a_view_or_give_one_sentence(data: bytes) -> None:
    for word in (packed(data), base64.urlsafe_b64encode(data).decode()):
        refusal(partial(view_of_link, f"{START}&view={word}"))


def test_every_cut_of_a_link_is_a_view_or_gives_one_sentence() -> None:
    link = link_of(VIEW)
    for length in range(len(link)):
        if not refusal(partial(view_of_link, link[:length])):
            assert view_of_link(link[:length]).state == {}, "not a part of the settings"


@pytest.mark.parametrize(
    "document", [b'{"a": "' + b"x" * 10**8 + b'"}', b"[" * 10**6, b"9" * 10**7, b"{" * 10**8]
)
def test_a_bomb_is_not_unpacked(document: bytes) -> None:
    word = packed(document)[: MOST_LINK - 200]
    forget_peak()
    before, start_s = peak_nbytes(), time.thread_time()
    with pytest.raises(BadViewError):
        view_of_link(f"{START}&view={word}")
    assert peak_nbytes() - before < 8 * 2**20
    assert time.thread_time() - start_s < 1


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("zarrscope://run?command=rm", "does not begin with"),
        ("zarrscope:view", "does not begin with"),
        ("zarrscope://view", "not a view"),
        ("zarrscope://view?version=2&address=/a", "newer zarrscope"),
        ("zarrscope://view?version=1", "source"),
        ("zarrscope://view?version=²&address=/a", "not a view"),
        (f"{START}&view=%", "damaged"),
        (f"{START}&view={packed(b'[1]')}", "settings"),
        (f"{START}&view={packed(b'nonsense')}", "not JSON"),
        (f"{START}{'x' * MOST_LINK}", "longer than"),
        ("zarrscope://view?version=1&address=redis://evil.example", "redis://"),
        ("zarrscope://view?version=1&address=/a%00b", "characters"),
    ],
)
def test_malformed_links_give_one_sentence(link: str, said: str) -> None:
    with pytest.raises(BadViewError, match=said):
        view_of_link(link)


def test_a_node_that_no_link_can_lead_to_has_none() -> None:
    with pytest.raises(BadViewError, match="characters"):
        link_of(SavedView("raw", SourceRequest("/data/a.zarr", "/raw\nof it"), "Image"))


def test_settings_that_are_too_long_make_no_link() -> None:
    noise = "".join(random.Random(1).choices("abcdefghijklmnopqrstuvwxyz0123456789", k=60_000))
    with pytest.raises(BadViewError, match="too long for a link"):
        link_of(SavedView("a", VIEW.request, "", {"a": noise}))


def test_a_link_neither_takes_nor_gives_credentials() -> None:
    connection = Connection("https://minio.example", "eu-west-1", "work", requester_pays=True)
    link = link_of(SavedView("a", SourceRequest("s3://bucket/a.zarr", "/", None, connection)))
    assert "work" not in link
    assert "requester" not in link
    assert view_of_link(link).request.options == Connection(
        "https://minio.example", "eu-west-1", anonymous=True
    )
    hostile = "zarrscope://view?version=1&address=s3://bucket/a&profile=work&requester_pays=1&endpoint_url=https://evil"
    assert view_of_link(hostile).request.options == Connection("https://evil", anonymous=True)
    signed = SavedView("a", SourceRequest("https://me:secret@host/a?sig=secret"))
    assert "secret" not in link_of(signed)
    assert as_untrusted(signed).request.address == "https://host/a"
