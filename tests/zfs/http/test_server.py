"""The server on its socket: signals, and answers in progress at its end."""

from __future__ import annotations

import os
import signal
import threading
import time

from starlette.responses import PlainTextResponse

from tests.waiting import PATIENCE_S
from tests.zfs.http.serving import get
from zarrfs.http.listening import listen
from zarrfs.http.server import Server


def test_signals_refresh_and_end_it_and_its_handlers_are_gone_afterwards() -> None:
    refreshed: list[str] = []
    server = Server(PlainTextResponse("answer"), lambda: refreshed.append(threading.current_thread().name))
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    answers: list[str] = []
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]

        def use() -> None:
            answers.append(get(f"http://127.0.0.1:{port}/").text)
            os.kill(os.getpid(), signal.SIGHUP)
            deadline = time.monotonic() + PATIENCE_S
            while not refreshed and time.monotonic() < deadline:
                time.sleep(0.01)
            answers.append(get(f"http://127.0.0.1:{port}/").text)
            os.kill(os.getpid(), signal.SIGTERM)

        user = threading.Thread(target=use)
        user.start()
        server.serve_on(listening)  # in the main thread, which alone gets signals
        user.join()
    assert answers == ["answer"] * 2
    assert refreshed == [threading.main_thread().name]
    assert {number: signal.getsignal(number) for number in before} == before
