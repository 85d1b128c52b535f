"""Whose machine this is: only there may a cloud's metadata address be asked for credentials.

obstore asks it wherever it finds none. Elsewhere nobody answers there, or somebody else does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Final

_FILES: Final = (
    "/sys/devices/virtual/dmi/id/sys_vendor",
    "/sys/devices/virtual/dmi/id/bios_vendor",
    "/sys/devices/virtual/dmi/id/product_name",
    "/sys/devices/virtual/dmi/id/chassis_asset_tag",
    "/sys/hypervisor/uuid",
)
"""Where the kernel tells what machine this is."""

_MARKS: Final = {
    "S3": re.compile(r"ec2|.*amazon", re.IGNORECASE),
    "GCS": re.compile(r"google", re.IGNORECASE),
    "Azure": re.compile(r"7783-7084-3265-9085-8269-3286-77"),
}
"""What one of the files begins with on the machines of each service's provider."""


def is_machine_of(service: str) -> bool:
    """Whether this is a machine of the cloud to which ``service`` belongs."""
    return any(_MARKS[service].match(said) for said in _read(_FILES))


def first_set(names: Iterable[str]) -> str | None:
    """The value of the first of these environment variables that has one."""
    return next((value for name in names if (value := os.environ.get(name))), None)


def any_set(names: Iterable[str]) -> bool:
    """Whether one of these environment variables has a value."""
    return first_set(names) is not None


def is_yes(name: str) -> bool:
    """Whether the environment says yes to a question."""
    return os.environ.get(name, "").strip().lower() in {"1", "true", "yes", "on", "t", "y"}


def _read(paths: Iterable[str]) -> Iterable[str]:
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                yield file.read(100).strip()
        except OSError:
            continue
