"""The proxy that stands between tests and their servers."""

from __future__ import annotations

import gc
import socket
import ssl
import time

import pytest

from tests.proofs.faults.hours import _server_tls
from tests.servers.proxy import proxy


@pytest.mark.filterwarnings("error")
def test_a_connection_whose_client_does_not_end_tls_is_closed_with_the_proxy() -> None:
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    with proxy("http://127.0.0.1:9", tls=_server_tls()) as made:
        address = ("127.0.0.1", int(made.url.rpartition(":")[2]))
        connection = trusting.wrap_socket(socket.create_connection(address))
        connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        time.sleep(0.1)  # there is no server behind the proxy, which closes its side
    connection.close()
    gc.collect()  # where Python reports what is still open
