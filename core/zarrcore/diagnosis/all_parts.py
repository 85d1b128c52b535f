"""The reports of all parts together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from zarrcore.diagnosis import credentials, disk, packages
from zarrcore.diagnosis.finding import Finding, Reporter, State
from zarrcore.extensions import extension_names, load_extension

_GROUP: Final = "zarrscope.diagnoses"


def all_versions() -> dict[str, str]:
    """Versions by name: zarrscope, Python, the kernel, packages, and what other parts are built on."""
    found = packages.versions()
    for _, reporter in _reporters():
        if not isinstance(reporter, Exception):
            found.update(reporter.versions())
    return found


def all_findings(cache_dir: str | None = None) -> Iterator[Finding]:
    """The findings of all parts.

    Args:
        cache_dir: the directory that ``--cache-dir`` names.
    """
    yield from packages.findings()
    for name, reporter in _reporters():
        if isinstance(reporter, Exception):
            yield Finding(name, State.FAULT, f"its diagnosis fails ({type(reporter).__name__}: {reporter})")
        else:
            yield from reporter.findings()
    yield from credentials.findings()
    yield from disk.findings(cache_dir)


def _reporters() -> Iterator[tuple[str, Reporter | Exception]]:
    """The reporters by name, or the errors of loading them: a broken package must not end the diagnosis."""
    for name in extension_names(_GROUP):
        try:
            yield name, load_extension(_GROUP, name)  # type: ignore[misc]  # the group's entries are reporters
        except Exception as error:  # noqa: BLE001 - as above
            yield name, error
