"""The program in the single file: ``zarrscope``, or what the name that it was called by says.

``-m MODULE`` runs a module, as the child processes of zarrscope do.
"""

from __future__ import annotations

import ctypes
import os
import runpy
import sys

_DISPATCHERS = ("libGLdispatch.so.0", "libGLX.so.0", "libGL.so.1", "libEGL.so.1")
"""The libraries that choose a graphics driver, each after those that it needs. Qt is linked to them."""

_CERTIFICATES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/cert.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
)
"""Where systems keep the certificates that they trust."""


def main() -> None:
    """Run what the caller wants."""
    _restore_environment()
    _prepare_certificates()
    name = os.path.basename(sys.argv[0])
    if sys.argv[1:2] == ["-m"] and len(sys.argv) > 2:
        module = sys.argv[2]
        del sys.argv[1:3]
        if module.startswith("zarrbrowser"):
            _prepare_window()
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    elif name in ("mount.zarrscope", "mount.fuse.zarrscope"):
        from zarrfs.mount.helper import main as helper

        sys.exit(helper())
    elif name == "zarrbrowser":
        _prepare_window()
        from zarrbrowser.__main__ import main as browser

        sys.exit(browser())
    else:
        if "browse" in sys.argv[1:]:
            _prepare_window()
        from zarrcore.__main__ import main as zarrscope

        sys.exit(zarrscope())


def _restore_environment() -> None:
    """Let child processes such as umount(8) and a web browser use the libraries of the system, not those of this program.

    Without PyInstaller's variables, a child process that is this program again sets its own library path.
    """
    for name in [name for name in os.environ if name.startswith("_PYI_")]:
        del os.environ[name]
    before = os.environ.pop("LD_LIBRARY_PATH_ORIG", None)
    if before is None:
        os.environ.pop("LD_LIBRARY_PATH", None)
    else:
        os.environ["LD_LIBRARY_PATH"] = before


def _prepare_certificates() -> None:
    """If the system has no certificates, use certifi's: without certificates, no connection works."""
    if "SSL_CERT_DIR" not in os.environ and not any(map(os.path.exists, _CERTIFICATES)):
        os.environ.setdefault("SSL_CERT_FILE", _part("certifi", "cacert.pem"))


def _prepare_window() -> None:
    """On a system without OpenGL or fonts, use those in this program."""
    if not os.path.exists("/etc/fonts/fonts.conf"):
        os.environ.setdefault("FONTCONFIG_FILE", _part("fonts", "fonts.conf"))
    for name in _DISPATCHERS:
        try:
            ctypes.CDLL(name)
        except OSError:
            ctypes.CDLL(_part("dispatchers", name))


def _part(*names: str) -> str:
    """The path of a file in this program."""
    return os.path.join(sys._MEIPASS, *names)  # type: ignore[attr-defined] # noqa: SLF001


if __name__ == "__main__":
    main()
