"""What ``--json`` prints must match the schema that the package contains: every test that prints JSON checks it."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema import Draft202012Validator

SCHEMA: dict[str, Any] = json.loads(files("zarrcore.cli").joinpath("json_schema.json").read_text("utf-8"))

OBJECTS = {
    "check",
    "consolidate",
    "convert",
    "copy",
    "create",
    "doctor",
    "info",
    "mv",
    "pyramid",
    "reference",
    "set",
}
"""Commands that print one object; the others print one on each line."""


def check_json(command: str, text: str) -> None:
    """Raise an error if what a command printed does not match its definition. Nothing matches, as after an error."""
    for told in [text] if command in OBJECTS and text else text.splitlines():
        _validator(command).validate(json.loads(told))


@cache
def _validator(command: str) -> Draft202012Validator:
    from jsonschema import Draft202012Validator  # takes 0.3 s of processor time

    return Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{command}"})
