"""Places in normal form, and which servers are this machine or of its link."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from zarrcore.stores.targets.places import Place, is_local_server, path_of, scheme_of


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HTTP://User:pw@Host.:80/a%20b/../c?q", "http://host/c"),
        ("https://host:443/a/", "https://HOST/a"),
        ("http://ｈｏｓｔ/a", "http://host/a"),
        ("s3a://bucket/a//", "s3://bucket/a"),
        ("abfss://box@account.dfs.core.windows.net/a", "abfs://box@account.dfs.core.windows.net/a"),
        ("file:///tmp/a%20b", "/tmp/a b"),
        ("local://localhost/tmp/x/../y", "/tmp/y"),
        ("ftp://HOST/a", "ftp://host/a"),
        ("memory://a/b/", "memory://a/b"),
    ],
)
def test_spellings_of_one_place(one: str, other: str) -> None:
    assert Place.of(one) == Place.of(other)


@pytest.mark.parametrize(
    ("below", "above", "is_beneath"),
    [
        ("/data/a", "/data", True),
        ("/data", "/data/", True),
        ("/database", "/data", False),
        ("/data/../etc/passwd", "/data", False),
        ("/anything", "/", True),
        ("s3://bucket/a", "s3://bucket", True),
        ("s3://bucket2/a", "s3://bucket", False),
        ("gs://bucket/a", "s3://bucket", False),
        ("https://host/a/%2e%2e/b", "https://host/a", False),
        ("https://host/a/b", "https://host/a", True),
        ("https://host/ab", "https://host/a", False),
        ("https://host:81/a", "https://host", False),
        ("https://host.evil/a", "https://host", False),
        ("https://host@evil/a", "https://host", False),
        ("http://host/a", "https://host", False),
    ],
)
def test_a_place_is_beneath_another_by_whole_segments(below: str, above: str, is_beneath: bool) -> None:
    assert Place.of(below).is_beneath(Place.of(above)) is is_beneath


@pytest.mark.parametrize(
    "url", ["s3://b/../x", "http://h/..", "ftp://h/a/%2e%2e/x", "file://h/x", "http://[/x"]
)
def test_what_leads_elsewhere_is_no_place(url: str) -> None:
    with pytest.raises(ValueError, match=r"leads? out|lead out|this machine|IPv6"):
        Place.of(url)


def test_links_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in/out").symlink_to("/etc")
    assert not Place.of(f"{tmp_path}/in/out/passwd").is_beneath(Place.of(f"{tmp_path}/in"))
    assert Place.of(f"{tmp_path}/in/out/passwd").is_beneath(Place.of("/etc"))


def test_the_prefix_that_allows_a_place() -> None:
    prefixes = {
        "/a/b.nc": "/a",
        "/b": "/",
        "s3://b/x/y.nc": "s3://b/",
        "http://u:p@H:81/x/y": "http://h:81/x/",
    }
    prefixes |= {"http://h/y?secret": "http://h/", "redis://h/0/a": "redis://h/0/"}
    for url, prefix in prefixes.items():
        assert Place.of(url).prefix == prefix
        assert Place.of(url).is_beneath(Place.of(prefix))


LOCAL = (
    "127.0.0.1", "127.8.9.1", "127.1", "2130706433", "0x7f.0.0.1", "0177.0.0.1", "0", "0.0.0.0", "0.1.2.3",
    "::1", "::", "::ffff:127.0.0.1", "::ffff:7f00:1", "::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::",
    "localhost", "LocalHost.", "a.localhost", "%31%32%37.0.0.1", "１２７.０.０.１", "127。0。0。1",
    "169.254.169.254", "0xa9fea9fe", "2852039166", "fe80::1", "fe80::1%eth0", "::ffff:169.254.169.254",
    "metadata.google.internal", "METADATA.google.internal.", "fd00:ec2::254", "100.100.100.200", "168.63.129.16",
)  # fmt: skip


@pytest.mark.parametrize("host", LOCAL)
def test_this_machine_and_its_link_in_any_spelling(host: str) -> None:
    assert is_local_server(host)
    url = f"http://[{host}]/x" if ":" in host else f"http://{host}/x"
    server = Place.of(url).server
    assert server is not None
    assert is_local_server(server)


@pytest.mark.parametrize(
    "host", ["10.0.0.1", "192.168.1.1", "8.8.8.8", "2001:db8::1", "::ffff:10.0.0.1", "1.127.0.0"]
)
def test_other_addresses_are_public(host: str) -> None:
    assert not is_local_server(host)


def test_names_are_looked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"inner": ["10.0.0.1", "127.0.0.1"], "outer": ["8.8.8.8"], "link": ["fe80::1%2"]}

    def look_up(host: str, *_: object, **__: object) -> list[object]:
        if host not in known:
            raise socket.gaierror
        return [(0, 0, 0, "", (address, 0)) for address in known[host]]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    assert [is_local_server(name) for name in ("inner", "outer", "link", "none")] == [
        True,
        False,
        True,
        False,
    ]


def test_buckets_and_local_places_have_no_server() -> None:
    for url in ("s3://127.0.0.1/x", "/x", "memory://localhost/x"):
        assert Place.of(url).server is None
    assert Place.of("ssh://me@127.0.0.1:22/x").server == "127.0.0.1"


def test_schemes_and_paths() -> None:
    assert [scheme_of(url) for url in ("s3a://b", "local:///x", "/x", "a b://c")] == ["s3", "file", "", ""]
    assert path_of("file:///a%20b") == "/a b"
    with pytest.raises(ValueError, match="this machine"):
        path_of("file://server/a")
