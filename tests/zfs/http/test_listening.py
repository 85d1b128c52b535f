"""The socket: ports that are taken, addresses that are elsewhere, and whom a server may show its source."""

from __future__ import annotations

import socket

import pytest

from zarrfs.http.listening import ListenError, check_exposure, listen, origin_of
from zarrfs.http.options import ServeOptions, Token


def test_a_port_that_is_taken_is_told_in_one_line() -> None:
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(
            ListenError, match=f"cannot listen on 127.0.0.1 port {port}: another program uses the port"
        ):
            listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["192.0.2.1", "no-such-host.invalid"])
def test_an_address_of_another_machine_is_refused(host: str) -> None:
    with pytest.raises(ListenError, match="it is not an address of this machine"):
        listen(host, 0)


def test_headers_are_sent_without_delay() -> None:
    """asyncio sets TCP_NODELAY only on sockets whose protocol is TCP; otherwise each small answer takes 40 ms."""
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


@pytest.mark.parametrize(
    ("host", "origin"), [("127.0.0.1", "http://127.0.0.1"), ("localhost", "http://localhost"), ("0.0.0.0", "http://localhost")]
)  # fmt: skip
def test_the_address_is_one_that_a_client_can_use(host: str, origin: str) -> None:
    with listen(host, 0) as listening:
        assert origin_of(listening, host) == f"{origin}:{listening.getsockname()[1]}"


def test_an_address_of_version_6_has_brackets() -> None:
    if not socket.has_ipv6:
        pytest.skip("this Python has no IPv6")
    try:
        listening = listen("::1", 0)
    except ListenError:
        pytest.skip("this machine has no IPv6")
    with listening:
        assert origin_of(listening, "::1") == f"http://[::1]:{listening.getsockname()[1]}"


def test_other_machines_need_a_token_or_a_clear_word() -> None:
    for host in ("0.0.0.0", "192.0.2.1", "::", "example.com"):
        with pytest.raises(ListenError, match=f"other machines can reach {host}: choose a --token"):
            check_exposure(ServeOptions(host=host))
        check_exposure(ServeOptions(host=host, token=Token("x")))
        check_exposure(ServeOptions(host=host, allow_everyone=True))
    for host in ("127.0.0.1", "::1", "localhost"):
        check_exposure(ServeOptions(host=host))
