"""Textures of OpenGL, sent without Python's lock.

PySide keeps the lock during calls of OpenGL: the window would stand still while a large texture is sent, or a slow driver draws.
Functions called through ctypes do not.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import CFUNCTYPE, byref, c_int, c_uint, c_void_p
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QOpenGLContext

from zarrbrowser.panes.volume.shaders import BRIGHTNESS, COLOURS, WITH_HOLES

_2D, _3D, _FIRST_UNIT = 0x0DE1, 0x806F, 0x84C0
_UNPACK_ALIGNMENT, _UNSIGNED_BYTE = 0x0CF5, 0x1401
_MIN_FILTER, _MAG_FILTER, _NEAREST, _LINEAR = 0x2801, 0x2800, 0x2600, 0x2601
_WRAPS, _CLAMP_TO_EDGE, _MAX_LEVEL = (0x2802, 0x2803, 0x8072), 0x812F, 0x813D
_RGBA8, _RGBA = 0x8058, 0x1908
_FORMATS: Final = {
    1: (0x8229, 0x1903, BRIGHTNESS),
    2: (0x822B, 0x8227, WITH_HOLES),
    4: (_RGBA8, _RGBA, COLOURS),
}
"""Components → the format in the card, the format in memory, and the kind in the program."""
_AT_ONCE_BYTES = 8 * 2**20

_ARGUMENTS: Final[dict[str, tuple[Any, ...]]] = {
    "glActiveTexture": (c_uint,),
    "glBindTexture": (c_uint, c_uint),
    "glDeleteTextures": (c_int, c_void_p),
    "glDrawArrays": (c_uint, c_int, c_int),
    "glFinish": (),
    "glGenTextures": (c_int, c_void_p),
    "glPixelStorei": (c_uint, c_int),
    "glTexImage2D": (c_uint, *(c_int,) * 5, c_uint, c_uint, c_void_p),
    "glTexImage3D": (c_uint, *(c_int,) * 6, c_uint, c_uint, c_void_p),
    "glTexParameteri": (c_uint, c_uint, c_int),
    "glTexSubImage3D": (c_uint, *(c_int,) * 7, c_uint, c_uint, c_void_p),
}


class GlFunctions:
    """Functions of OpenGL by their names.

    Raises:
        LookupError: the driver lacks one.
    """

    def __init__(self, context: QOpenGLContext) -> None:
        self._functions = {}
        for name, arguments in _ARGUMENTS.items():
            address = context.getProcAddress(name.encode())
            if not address:
                raise LookupError(name)
            self._functions[name] = CFUNCTYPE(None, *arguments)(int(address))

    def __getattr__(self, name: str) -> Callable[..., None]:
        return self._functions[name]


class GlTexture:
    """One texture; its context must be current for all calls.

    Attributes:
        kind: the kind in the program.
    """

    def __init__(self, gl: GlFunctions, target: int, kind: int = 0, *, is_smooth: bool = True) -> None:
        self._gl, self._target, self.kind = gl, target, kind
        self._name = c_uint(0)
        gl.glGenTextures(1, byref(self._name))
        self.bind(0)
        how = _LINEAR if is_smooth else _NEAREST
        settings = [(_MIN_FILTER, how), (_MAG_FILTER, how), (_MAX_LEVEL, 0)]
        for name, value in (*settings, *((wrap, _CLAMP_TO_EDGE) for wrap in _WRAPS)):
            gl.glTexParameteri(target, name, value)
        gl.glPixelStorei(_UNPACK_ALIGNMENT, 1)

    def bind(self, unit: int) -> None:
        """Make it the texture of a unit of the program."""
        self._gl.glActiveTexture(_FIRST_UNIT + unit)
        self._gl.glBindTexture(self._target, self._name)

    def free(self) -> None:
        """Free the memory of the card."""
        self._gl.glDeleteTextures(1, byref(self._name))


def send_volume(
    gl: GlFunctions, data: NDArray[np.uint8], *, is_smooth: bool, superseded: Callable[[], bool]
) -> GlTexture | None:
    """A texture with three axes; None if ``superseded`` became true.

    Args:
        data: shape (depth, rows, columns, components).
        is_smooth: whether colours between samples are mixed.
    """
    depth, rows, columns, components = data.shape
    form, pixels, kind = _FORMATS[components]
    sent = GlTexture(gl, _3D, kind, is_smooth=is_smooth)
    gl.glTexImage3D(_3D, 0, form, columns, rows, depth, 0, pixels, _UNSIGNED_BYTE, None)
    thick = max(1, _AT_ONCE_BYTES // max(1, rows * columns * components))
    for start in range(0, depth, thick):
        if superseded():
            sent.free()
            return None
        part = np.ascontiguousarray(data[start : start + thick])
        size = (0, 0, start, columns, rows, len(part))
        gl.glTexSubImage3D(_3D, 0, *size, pixels, _UNSIGNED_BYTE, part.ctypes.data)
    return sent


def send_colours(gl: GlFunctions, colours: NDArray[np.uint8]) -> GlTexture:
    """A table of colours, shape (n, 3)."""
    table = np.full((len(colours), 4), 255, np.uint8)
    table[:, :3] = colours
    sent = GlTexture(gl, _2D)
    gl.glTexImage2D(_2D, 0, _RGBA8, len(table), 1, 0, _RGBA, _UNSIGNED_BYTE, table.ctypes.data)
    return sent
