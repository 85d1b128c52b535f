"""Whether this is a machine of a cloud: only there may the cloud's metadata address be asked for credentials.

obstore asks that address whenever it finds no credentials. Outside the cloud, the address does not answer or is not the cloud's.
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
"""Files in which the kernel describes the machine."""

_MARKS: Final = {
    "S3": re.compile(r"ec2|.*amazon", re.IGNORECASE),
    "GCS": re.compile(r"google", re.IGNORECASE),
    "Azure": re.compile(r"7783-7084-3265-9085-8269-3286-77"),
}
"""The beginning of one of these files on the machines of each service's provider."""


def is_machine_of(service: str) -> bool:
    """Whether this is a machine of the cloud that ``service`` belongs to."""
    return any(_MARKS[service].match(said) for said in _read(_FILES))


def first_set(names: Iterable[str]) -> str | None:
    """The value of the first of these environment variables that is set."""
    found = first_with_value(names)
    return None if found is None else found[0]


def first_with_value(names: Iterable[str]) -> tuple[str, str] | None:
    """The value and the name of the first of these environment variables that is set."""
    return next(((value, name) for name in names if (value := os.environ.get(name))), None)


def any_set(names: Iterable[str]) -> bool:
    """Whether one of these environment variables is set."""
    return first_set(names) is not None


def is_yes(name: str) -> bool:
    """Whether an environment variable is set to a true value."""
    return os.environ.get(name, "").strip().lower() in {"1", "true", "yes", "on", "t", "y"}


def _read(paths: Iterable[str]) -> Iterable[str]:
    for path in paths:
        try:
            with open(path, encoding="utf-8", errors="replace") as file:
                yield file.read(100).strip()
        except OSError:
            continue
