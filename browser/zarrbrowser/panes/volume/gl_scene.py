"""Volumes drawn by OpenGL into a picture in memory. All calls come from one thread, which has no window.

Nothing is drawn on the screen by OpenGL: the window would be made anew when it first shows an OpenGL widget, and would wait for
slow drivers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from PySide6.QtCore import QSize
from PySide6.QtGui import (
    QImage,
    QOffscreenSurface,
    QOpenGLContext,
    QOpenGLFunctions,
    QSurfaceFormat,
    QVector3D,
)
from PySide6.QtOpenGL import (
    QOpenGLFramebufferObject,
    QOpenGLShader,
    QOpenGLShaderProgram,
    QOpenGLVertexArrayObject,
)

from zarrbrowser.panes.volume.gl_textures import GlFunctions, GlTexture, send_colours, send_volume
from zarrbrowser.panes.volume.shaders import DESKTOP, EMBEDDED, FRAGMENT, MODES, VERTEX
from zarrbrowser.volume.look import Mode
from zarrbrowser.volume.rays import Rays
from zarrbrowser.volume.textures import Texture

_COLOR_BUFFER, _BLEND, _ONE, _SCISSOR, _TRIANGLES = 0x4000, 0x0BE2, 1, 0x0C11, 0x0004
_MAX_3D_SIZE, _RENDERER, _OUT_OF_MEMORY = 0x8073, 0x1F01, 0x0505
_STRIP_S = 0.05
"""A picture is drawn in strips that take about this long: a newer one need not wait, and drivers do not give up."""
_LEAST_STRIP = 4


class NoOpenGLError(Exception):
    """A sentence that says why volumes cannot be drawn here."""


class Superseded(Exception):  # noqa: N818 - not an error: a newer picture is wanted
    """The picture is not needed any more."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What to draw."""

    width: int
    height: int
    rays: Rays
    mode: Mode
    density: float
    threshold: float


class GlScene:
    """The textures, and the program that draws them. Create, use and close it in one thread.

    Raises:
        NoOpenGLError: OpenGL is missing or too old.
    """

    def __init__(self, surface: QOffscreenSurface) -> None:
        self._surface = surface
        self._context = _context(surface)
        self._gl: QOpenGLFunctions = self._context.functions()
        try:
            self._functions = GlFunctions(self._context)
        except LookupError as error:
            raise NoOpenGLError(f"The graphics driver lacks the function {error.args[0]}.") from error
        self._program = self._compiled()
        self._points = QOpenGLVertexArrayObject()
        self._points.create()
        self._volumes: list[tuple[Texture, GlTexture, GlTexture | None]] = []
        self._frame: QOpenGLFramebufferObject | None = None
        self._s_per_row = 0.0

    @property
    def renderer(self) -> str:
        """What draws, in the words of the driver."""
        name = self._gl.glGetString(_RENDERER)
        return name.decode() if isinstance(name, bytes) else str(name)

    @property
    def most_side(self) -> int:
        """The largest number of samples along an axis of a texture."""
        found = self._gl.glGetIntegerv(_MAX_3D_SIZE)
        return int(found[0] if isinstance(found, tuple | list) else found)

    def show(self, textures: Sequence[Texture], superseded: Callable[[], bool]) -> None:
        """Replace the volumes; those that stay are not sent again.

        Raises:
            NoOpenGLError: they do not fit into the memory of the graphics card.
            Superseded: ``superseded`` became true; some volumes may be missing.
        """
        self._use()
        known = {id(one[0]): one for one in self._volumes}
        for texture, volume, colours in self._volumes:
            if all(texture is not one for one in textures):
                _free(volume, colours)
        self._volumes = [known[id(one)] for one in textures if id(one) in known]
        for texture in textures:
            if id(texture) not in known:
                colours = None if texture.colours is None else send_colours(self._functions, texture.colours)
                self._volumes.append((texture, self._sent(texture, superseded), colours))

    def draw(self, picture: Picture, superseded: Callable[[], bool]) -> QImage:
        """The picture, with premultiplied alpha.

        Raises:
            NoOpenGLError: the driver failed.
            Superseded: ``superseded`` became true.
        """
        self._use()
        frame = self._framed(picture.width, picture.height)
        if not frame.bind():
            raise NoOpenGLError("The graphics driver cannot draw a picture of this size.")
        gl = self._gl
        gl.glViewport(0, 0, picture.width, picture.height)
        gl.glDisable(_SCISSOR)
        gl.glClearColor(0.0, 0.0, 0.0, 0.0)
        gl.glClear(_COLOR_BUFFER)
        gl.glEnable(_SCISSOR)
        gl.glEnable(_BLEND)
        gl.glBlendFunc(_ONE, _ONE)  # channels add up, as in the Image tab
        self._program.bind()
        self._points.bind()
        row = 0
        while row < picture.height:
            if superseded():
                raise Superseded
            rows = min(self._strip(picture.height), picture.height - row)
            started_s = time.perf_counter()
            gl.glScissor(0, row, picture.width, rows)
            for texture, volume, colours in self._volumes:
                self._draw_one(picture, texture, volume, colours)
            self._functions.glFinish()
            self._s_per_row = (time.perf_counter() - started_s) / rows
            row += rows
        self._points.release()
        self._program.release()
        image = frame.toImage(False)  # rows run down already
        frame.release()
        if gl.glGetError() == _OUT_OF_MEMORY:
            raise NoOpenGLError("The graphics card has not enough memory: choose a coarser level.")
        return image

    def close(self) -> None:
        """Free everything."""
        with suppress(RuntimeError):  # Qt has freed all at the end of the program
            if self._context.makeCurrent(self._surface):
                for _, volume, colours in self._volumes:
                    _free(volume, colours)
                self._volumes.clear()
                self._points.destroy()
                self._frame = None
                self._program.removeAllShaders()
                del self._program
                self._context.doneCurrent()

    def _use(self) -> None:
        if not self._context.makeCurrent(self._surface):
            raise NoOpenGLError("The graphics driver was reset: open the tab again.")

    def _strip(self, height: int) -> int:
        """The number of rows to draw at a time."""
        if not self._s_per_row:
            return max(_LEAST_STRIP, height // 16)
        return max(_LEAST_STRIP, int(_STRIP_S / self._s_per_row))

    def _framed(self, width: int, height: int) -> QOpenGLFramebufferObject:
        if self._frame is None or self._frame.size() != QSize(width, height):
            self._frame = QOpenGLFramebufferObject(width, height)
            self._s_per_row = 0.0
        return self._frame

    def _compiled(self) -> QOpenGLShaderProgram:
        program = QOpenGLShaderProgram()
        first = EMBEDDED if self._context.isOpenGLES() else DESKTOP
        kinds = QOpenGLShader.ShaderTypeBit
        for kind, text in ((kinds.Vertex, VERTEX), (kinds.Fragment, FRAGMENT)):
            if not program.addShaderFromSourceCode(kind, first + text):
                raise NoOpenGLError(f"The graphics driver cannot draw volumes: {_first_line(program.log())}.")
        if not program.link():
            raise NoOpenGLError(f"The graphics driver cannot draw volumes: {_first_line(program.log())}.")
        return program

    def _draw_one(
        self, picture: Picture, texture: Texture, volume: GlTexture, colours: GlTexture | None
    ) -> None:
        program, seen = self._program, picture.rays
        depth, rows, columns, _ = texture.data.shape
        volume.bind(0)
        if colours is not None:
            colours.bind(1)
        for name, number in (("volume", 0), ("colours", 1), ("kind", volume.kind)):
            program.setUniformValue1i(program.uniformLocation(name), number)
        program.setUniformValue1i(program.uniformLocation("mode"), MODES[picture.mode.value])
        vectors = {
            "samples": (float(columns), float(rows), float(depth)),
            "start": seen.start,
            "right": seen.right,
            "down": seen.down,
            "ahead": seen.ahead,
            "lengths": seen.lengths,
        }
        for name, vector in vectors.items():
            program.setUniformValue(program.uniformLocation(name), QVector3D(*vector))
        for name, value in (("density", picture.density), ("threshold", picture.threshold)):
            program.setUniformValue1f(program.uniformLocation(name), value)
        self._functions.glDrawArrays(_TRIANGLES, 0, 3)

    def _sent(self, texture: Texture, superseded: Callable[[], bool]) -> GlTexture:
        sent = send_volume(self._functions, texture.data, is_smooth=texture.is_smooth, superseded=superseded)
        if sent is None:
            raise Superseded
        if self._gl.glGetError() == _OUT_OF_MEMORY:
            sent.free()
            raise NoOpenGLError("The graphics card has not enough memory: choose a coarser level.")
        return sent


def _context(surface: QOffscreenSurface) -> QOpenGLContext:
    wanted = QSurfaceFormat()
    wanted.setVersion(3, 3)
    wanted.setProfile(QSurfaceFormat.OpenGLContextProfile.CoreProfile)
    embedded = QSurfaceFormat()
    embedded.setRenderableType(QSurfaceFormat.RenderableType.OpenGLES)
    embedded.setVersion(3, 0)
    for form in (wanted, embedded):
        context = QOpenGLContext()
        context.setFormat(form)
        if context.create() and context.makeCurrent(surface):
            version = context.format().majorVersion(), context.format().minorVersion()
            if version >= ((3, 0) if context.isOpenGLES() else (3, 3)):
                return context
            context.doneCurrent()
    raise NoOpenGLError("This display offers neither OpenGL 3.3 nor OpenGL ES 3.")


def _free(*textures: GlTexture | None) -> None:
    for texture in textures:
        if texture is not None:
            texture.free()


def _first_line(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip()), "no reason given")
