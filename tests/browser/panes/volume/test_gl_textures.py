"""Textures are sent part by part, and each byte once. `test_gl_scene` draws them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from zarrbrowser.panes.volume import gl_textures
from zarrbrowser.panes.volume.gl_textures import GlFunctions, send_colours, send_volume
from zarrbrowser.panes.volume.shaders import BRIGHTNESS, COLOURS, WITH_HOLES


class FakeGl:
    """Records calls, and the bytes that are sent."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.sent: list[tuple[tuple[int, ...], bytes]] = []
        self.components = 1

    def __getattr__(self, name: str) -> Callable[..., None]:
        def call(*arguments: Any) -> None:
            self.calls.append((name, arguments))
            if name == "glTexSubImage3D":
                depth, rows, columns = arguments[7], arguments[6], arguments[5]
                size = depth * rows * columns * self.components
                self.sent.append(((arguments[4], depth), ctypes.string_at(arguments[-1], size)))

        return call

    def named(self, name: str) -> list[tuple[Any, ...]]:
        return [arguments for one, arguments in self.calls if one == name]


@pytest.mark.parametrize(("components", "kind"), [(1, BRIGHTNESS), (2, WITH_HOLES), (4, COLOURS)])
def test_a_volume_is_sent_in_parts(components: int, kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gl_textures, "_AT_ONCE_BYTES", 2 * 3 * 5 * components)
    data = np.random.default_rng(0).integers(0, 256, (5, 3, 5, components)).astype(np.uint8)
    gl: Any = FakeGl()
    gl.components = components
    sent = send_volume(gl, data, is_smooth=True, superseded=lambda: False)
    assert sent is not None
    assert sent.kind == kind
    assert [place for place, _ in gl.sent] == [(0, 2), (2, 2), (4, 1)]
    assert b"".join(part for _, part in gl.sent) == data.tobytes()
    (made,) = gl.named("glTexImage3D")
    assert made[3:6] == (5, 3, 5)


def test_a_part_of_an_array_in_another_order_is_sent_as_it_reads() -> None:
    data = np.arange(60, dtype=np.uint8).reshape(5, 4, 3, 1).transpose(2, 1, 0, 3)
    gl: Any = FakeGl()
    assert send_volume(gl, data, is_smooth=False, superseded=lambda: False) is not None
    assert gl.sent[0][1] == data.tobytes()


def test_sending_ends_when_it_is_not_wanted_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gl_textures, "_AT_ONCE_BYTES", 1)
    answers = iter((False, True))
    gl: Any = FakeGl()
    data = np.zeros((5, 3, 5, 1), np.uint8)
    assert send_volume(gl, data, is_smooth=True, superseded=lambda: next(answers)) is None
    assert len(gl.sent) == 1
    assert len(gl.named("glDeleteTextures")) == 1


def test_colours_have_no_opacity_of_their_own() -> None:
    gl: Any = FakeGl()
    kept: list[bytes] = []
    plain = gl.__getattr__

    def call(name: str) -> Callable[..., None]:
        def look(*arguments: Any) -> None:
            if name == "glTexImage2D":
                kept.append(ctypes.string_at(arguments[-1], 8))
            plain(name)(*arguments)

        return look

    class Looking(FakeGl):
        def __getattr__(self, name: str) -> Callable[..., None]:
            return call(name)

    looking: Any = Looking()
    send_colours(looking, np.array([[1, 2, 3], [4, 5, 6]], np.uint8))
    assert kept == [bytes([1, 2, 3, 255, 4, 5, 6, 255])]


def test_a_driver_without_a_function_is_told() -> None:
    class Context:
        def getProcAddress(self, name: bytes) -> int:
            return 0 if name == b"glTexImage3D" else 1

    context: Any = Context()
    with pytest.raises(LookupError, match="glTexImage3D"):
        GlFunctions(context)
