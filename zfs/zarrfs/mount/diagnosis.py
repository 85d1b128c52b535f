"""What mounting needs, and the mounts of zarrscope, for ``zarrscope doctor``."""

from __future__ import annotations

import contextlib
import ctypes
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Final

from zarrcore.diagnosis import Finding, State
from zarrcore.installation import Installer, how_to_add, installer
from zarrfs.mount.mountpoints import FSTYPE, MountError, all_mounted, check_device

_ANSWER_S: Final = 3.0
"""How long a mount may take to answer."""
_CONFIGURATION: Final = "/etc/fuse.conf"
_AREA: Final = "mount"


def versions() -> dict[str, str]:
    """The versions of libfuse, of fusermount3 and of pyfuse3."""
    found = {"libfuse": "not installed"}
    for name in ("libfuse3.so.3", "libfuse3.so.4"):  # since libfuse 3.17 it is the latter
        with contextlib.suppress(OSError, AttributeError):
            library = ctypes.CDLL(name)
            library.fuse_pkgversion.restype = ctypes.c_char_p
            found["libfuse"] = library.fuse_pkgversion().decode()
    for name in ("pyfuse3", "trio"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found


def findings() -> Iterator[Finding]:
    """Whether this user can mount, and the state of each mount."""
    if sys.platform != "linux":
        yield Finding(_AREA, State.NOTE, "mounting needs Linux", "use zarrscope serve, or fsspec")
        return
    missing = [name for name in ("pyfuse3", "trio") if find_spec(name) is None]
    if missing:
        yield Finding(_AREA, State.NOTE, f"not installed: {', '.join(missing)}", _how_to_get_pyfuse3())
    else:
        yield _can_mount()
        yield _allow_other()
    for mount in all_mounted():
        if mount.fstype == FSTYPE:
            yield _state_of(mount.mountpoint, mount.source)


def _how_to_get_pyfuse3() -> str:
    """What to do to get pyfuse3, which has no wheel: pip compiles it."""
    compiles = installer() not in (Installer.DEBIAN, Installer.SINGLE_FILE)
    system = "on Debian: apt install fuse3 libfuse3-dev pkg-config gcc python3-dev; then " if compiles else ""
    return system + how_to_add("fuse")


def _can_mount() -> Finding:
    try:
        check_device()
    except MountError as error:
        text, _, remedy = str(error).removeprefix("cannot mount: ").partition("; ")
        return Finding(_AREA, State.FAULT, text, remedy)
    try:
        import pyfuse3  # noqa: F401 - the system library may be missing, although the package is installed
    except ImportError as error:
        return Finding(_AREA, State.FAULT, f"pyfuse3 cannot be imported: {error}", _how_to_get_pyfuse3())
    return Finding(_AREA, State.OK, "you can mount")


def _allow_other() -> Finding:
    try:
        with open(_CONFIGURATION, encoding="utf-8", errors="replace") as file:
            is_allowed = any(line.strip() == "user_allow_other" for line in file)
    except OSError:
        is_allowed = False
    if is_allowed:
        return Finding(_AREA, State.OK, "users may mount with -o allow_other, which lets others see a mount")
    remedy = f"as root, add the line user_allow_other to {_CONFIGURATION}"
    text = "only root may mount with -o allow_other, which lets others see a mount"
    return Finding(_AREA, State.NOTE, text, remedy)


def _state_of(mountpoint: str, source: str) -> Finding:
    """The state of a mount. A child process asks the mount, and is abandoned if the mount hangs."""
    command = ["stat", "--file-system", "--", mountpoint]
    place = f"{source} at {mountpoint}"
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_ANSWER_S, check=False
        )
    except subprocess.TimeoutExpired:
        remedy = f"zarrscope umount --lazy {mountpoint}"
        return Finding(_AREA, State.FAULT, f"{place} does not answer within {_ANSWER_S:g} s", remedy)
    if done.returncode:
        return Finding(
            _AREA, State.FAULT, f"{place} is dead: its daemon is gone", f"zarrscope umount {mountpoint}"
        )
    return Finding(_AREA, State.OK, f"{place} answers")
