"""Optional packages that decode."""

from __future__ import annotations

from typing import Any

from zarrcore.errors import CodecError, InternalError, UnsupportedError, ZarrError
from zarrcore.late_imports import imported_if_installed


def optional_package(package: str, codec: str, extra: str) -> Any:
    """A package.

    Args:
        package: its name.
        codec: the name of the codec that needs it.
        extra: the extra of zarrscope that installs it.

    Raises:
        UnsupportedError: it is not installed.
        InternalError: it is installed, and importing it fails.
    """

    def missing() -> ZarrError:
        from zarrcore.installation import how_to_add  # late: most programs have what they need

        return UnsupportedError("codec", codec, f"needs an optional package: {how_to_add(extra)}")

    return imported_if_installed(package, missing)


def failure(error: Exception, codec: str, what: str = "") -> ZarrError:
    """What an exception of a package says: each codec of imagecodecs has exceptions of its own.

    Args:
        error: the exception.
        codec: the codec that called the package.
        what: what is broken, before a colon.

    Raises:
        ZarrError, MemoryError: ``error`` itself, if it says nothing about the chunk, or already says it.
    """
    if isinstance(error, ZarrError | MemoryError):
        raise error
    why = " ".join(str(error).split()) or type(error).__name__
    if isinstance(
        error, ImportError
    ):  # imagecodecs and tifffile load parts of themselves when these are used
        return InternalError(f"the package for codec {codec} cannot be imported: {why}")
    return CodecError(f"{what}{why}", codec=codec)
