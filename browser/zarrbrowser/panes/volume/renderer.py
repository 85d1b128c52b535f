"""Draws volumes in a thread: the newest view first as a draft if drawing is slow, then in full once the view rests."""

from __future__ import annotations

import atexit
import logging
import math
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal
from PySide6.QtGui import QImage, QOffscreenSurface

from zarrbrowser.nodes.read_cost import Cancelled
from zarrbrowser.panes.volume.gl_scene import GlScene, NoOpenGLError, Picture, Superseded
from zarrbrowser.volume.camera import Projection
from zarrbrowser.volume.look import Look
from zarrbrowser.volume.rays import rays
from zarrbrowser.volume.textures import Texture

_log = logging.getLogger(__name__)

_DRAFT_S: Final = 0.05
"""A picture of a moving view takes about this long, with fewer pixels if necessary."""
_COARSEST: Final = 0.12
"""The smallest scale of a draft."""
_REST_S: Final = 0.15
"""A view rests after this time."""
_LOOK_S: Final = 0.05
"""A thread that waits for a picture looks this often whether it is still wanted."""
_LEAVE_S: Final = 5.0
WHAT_TO_DO: Final = (
    "The single file brings no OpenGL: install zarrscope by pip."
    if getattr(sys, "frozen", False)
    else "Install the driver of the graphics card, or Mesa (Debian: libgl1, libegl1, libgl1-mesa-dri)."
)


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """What to draw, in pixels of the window's unit."""

    projection: Projection
    reverses: tuple[bool, bool, bool]
    """Whether columns, rows and depth run against x, y and z."""
    look: Look
    ratio: float = 1.0
    """Device pixels per pixel."""


@dataclass(frozen=True, slots=True, eq=False)
class Drawn:
    """A picture of a view."""

    image: QImage
    """With premultiplied alpha, over the whole window."""
    view: View
    is_final: bool
    """Whether it has a pixel for each one of the screen."""
    took_s: float


class NotDrawnError(Exception):
    """A sentence that says why a picture is not drawn."""


@dataclass(slots=True, eq=False)
class _Still:
    """A picture that another thread waits for."""

    view: View
    textures: tuple[Texture, ...]
    is_wanted: Callable[[], bool]
    is_done: threading.Event = field(default_factory=threading.Event)
    image: QImage | None = None
    error: str = "The volume is closed."


class VolumeRenderer(QObject):
    """Draws the newest view of the newest textures.

    Signals:
        ready: the largest number of samples along an axis, and the name of the driver.
        failed: a sentence that says why volumes cannot be drawn.
        drawn: a `Drawn`.
    """

    ready = Signal(int, str)
    failed = Signal(str)
    drawn = Signal(object)
    _told = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._orders = _Orders()
        self._told.connect(self._pass_on, Qt.ConnectionType.QueuedConnection)
        # Qt creates and destroys surfaces in the thread of the window.
        self._surface = QOffscreenSurface()
        self._surface.create()
        surface, orders, told = self._surface, self._orders, self._told
        self._thread = threading.Thread(
            target=lambda: _work(surface, orders, told.emit), name="volumes", daemon=True
        )
        stop = _Stop(self._orders, self._thread, self._surface)
        self.stop = stop
        """Ends the thread, and waits for it."""
        self.destroyed.connect(stop)
        application = QCoreApplication.instance()
        if application is not None:
            application.aboutToQuit.connect(stop)
        atexit.register(stop)  # Qt aborts the program if another thread frees what belongs to a context

    def start(self) -> None:
        """Start OpenGL; `ready` or `failed` follows."""
        self._thread.start()

    def show(self, textures: Sequence[Texture]) -> None:
        """Draw other volumes."""
        self._orders.give(textures=tuple(textures))

    def look(self, view: View) -> None:
        """Draw another view."""
        self._orders.give(view=view)

    def still(
        self, view: View, textures: Sequence[Texture], cancelled: Callable[[], bool] = lambda: False
    ) -> QImage:
        """A picture of a view, before anything else is drawn; blocks, and is for other threads than the window's.

        Args:
            textures: those that `show` was given last.

        Raises:
            Cancelled: ``cancelled`` became true.
            NotDrawnError: other volumes are shown by now, or the driver failed.
        """
        asked = _Still(view, tuple(textures), lambda: not cancelled())
        self._orders.ask(asked)
        while not asked.is_done.wait(_LOOK_S):
            if cancelled():
                raise Cancelled
            if not self._thread.is_alive():
                raise NotDrawnError(asked.error)
        if cancelled():
            raise Cancelled
        if asked.image is None:
            raise NotDrawnError(asked.error)
        return asked.image

    def _pass_on(self, told: object) -> None:
        if isinstance(told, Drawn):
            self.drawn.emit(told)
        elif isinstance(told, tuple):
            self.ready.emit(*told)
        else:
            self.failed.emit(str(told))


class _Orders:
    """The newest orders for the thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self.number = 0
        self.textures: tuple[Texture, ...] = ()
        self.view: View | None = None
        self.is_over = False
        self._stills: list[_Still] = []

    def ask(self, still: _Still) -> None:
        """Order a picture that somebody waits for."""
        with self._changed:
            self._stills.append(still)
            self.number += 1
            self._changed.notify_all()

    def stills(self) -> list[_Still]:
        """The ordered pictures; they are not reported again."""
        with self._changed:
            found, self._stills = self._stills, []
            return found

    def refuse(self, why: str) -> None:
        """Inform those that wait for a picture that there will be none."""
        for still in self.stills():
            still.error = why
            still.is_done.set()

    def give(
        self, *, textures: tuple[Texture, ...] | None = None, view: View | None = None, is_over: bool = False
    ) -> None:
        """Replace an order."""
        with self._changed:
            self.number += 1
            self.textures = self.textures if textures is None else textures
            self.view = view or self.view
            self.is_over |= is_over
            self._changed.notify_all()

    def wait(self, seen: int, timeout_s: float | None = None) -> int:
        """Wait for an order newer than ``seen``; the number of the newest."""
        with self._changed:
            self._changed.wait_for(lambda: self.number != seen, timeout_s)
            return self.number


class _Stop:
    """Ends the thread; does not keep the renderer alive."""

    def __init__(self, orders: _Orders, thread: threading.Thread, surface: QOffscreenSurface) -> None:
        self._orders, self._thread, self._surface = orders, thread, surface

    def __call__(self, *_arguments: object) -> None:
        atexit.unregister(self)
        self._orders.give(textures=(), is_over=True)
        if self._thread.is_alive():
            self._thread.join(_LEAVE_S)


def _work(surface: QOffscreenSurface, orders: _Orders, tell: Callable[[object], object]) -> None:
    """The life of the thread."""

    def say(told: object) -> None:
        with suppress(RuntimeError):  # the window is closed already
            tell(told)

    try:
        scene = GlScene(surface)
    except NoOpenGLError as error:
        say(f"{error} {WHAT_TO_DO}")
        return
    except Exception as error:  # noqa: BLE001 - drivers fail in many ways
        _log.debug("OpenGL failed", exc_info=error)
        say(f"OpenGL cannot be used: {error}. {WHAT_TO_DO}")
        return
    say((scene.most_side, scene.renderer))
    painter = _Painter(scene, orders, say)
    while not orders.is_over:
        try:
            painter.serve(orders.wait(painter.number))
        except NoOpenGLError as error:
            say(str(error))
            orders.refuse(str(error))
        except Exception as error:  # noqa: BLE001 - the thread lives on
            _log.debug("drawing a volume failed", exc_info=error)
            say(f"The volume cannot be drawn: {error}.")
            orders.refuse(f"The volume cannot be drawn: {error}.")
    scene.close()


class _Painter:
    """Draws drafts and full pictures."""

    def __init__(self, scene: GlScene, orders: _Orders, say: Callable[[object], object]) -> None:
        self._scene, self._orders, self._say = scene, orders, say
        self._full_s: float | None = None
        """How long a full picture takes; None while that is unknown."""
        self.number = 0
        """The number of the newest orders that were carried out or failed."""

    def serve(self, number: int) -> None:
        """Carry out the orders up to a number, or newer ones."""
        self.number = number
        while not self._orders.is_over:
            try:
                self._serve(self.number)
            except Superseded:
                self.number = self._orders.number
            else:
                return

    def _serve(self, number: int) -> None:
        view, textures = self._orders.view, self._orders.textures
        self._scene.show(textures, lambda: self._orders.is_over)
        for still in self._orders.stills():
            self._draw_still(still, textures)
        if view is None or not textures:
            return
        scale = _COARSEST * 2
        if self._full_s is not None:
            scale = min(1.0, max(_COARSEST, math.sqrt(_DRAFT_S / max(self._full_s, 1e-6))))
        # A draft is finished even if a newer view is wanted: otherwise, a moving volume would never be seen.
        self._draw(view, scale, lambda: self._orders.is_over)
        if scale < 1.0:
            if self._orders.wait(number, _REST_S) != number:
                raise Superseded
            self._draw(view, 1.0, lambda: self._orders.number != number)

    def _draw_still(self, still: _Still, textures: tuple[Texture, ...]) -> None:
        """Draw a picture for another thread; errors are raised there."""
        is_same = len(textures) == len(still.textures) > 0
        is_same &= all(one is other for one, other in zip(textures, still.textures, strict=False))
        still.error = "Another volume is shown by now."
        try:
            if is_same and still.is_wanted():
                picture = _picture(still.view, still.view.ratio)
                still.image = self._scene.draw(picture, lambda: self._orders.is_over or not still.is_wanted())
        except Superseded:
            still.error = "The volume is closed."
        except Exception as error:  # noqa: BLE001 - drivers fail in many ways
            still.error = str(error)
        finally:
            still.is_done.set()

    def _draw(self, view: View, scale: float, superseded: Callable[[], bool]) -> None:
        picture = _picture(view, view.ratio * scale)
        started_s = time.perf_counter()
        image = self._scene.draw(picture, superseded)
        took_s = time.perf_counter() - started_s
        self._full_s = took_s / scale**2
        self._say(Drawn(image, view, scale == 1.0, took_s))


def _picture(view: View, pixels: float) -> Picture:
    """What to draw for a view.

    Args:
        pixels: of the picture per pixel of the window.
    """
    width = max(1, round(view.projection.width * pixels))
    height = max(1, round(view.projection.height * pixels))
    seen = rays(view.projection, view.reverses, width / view.projection.width)
    look = view.look
    return Picture(width, height, seen, look.mode, look.density, look.threshold)
