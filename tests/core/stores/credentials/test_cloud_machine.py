"""Machines of clouds, and the environment variables that concern them."""

from __future__ import annotations

from pathlib import Path

import pytest

from zarrcore.stores.credentials import cloud_machine as clouds


@pytest.mark.parametrize(
    ("service", "said", "asked"),
    [
        ("S3", "Amazon EC2\n", True),
        ("S3", "ec2f0e1\n", True),
        ("S3", "Google\n", False),
        ("GCS", "Google Compute Engine\n", True),
        ("Azure", "7783-7084-3265-9085-8269-3286-77\n", True),
        ("Azure", "Microsoft Corporation\n", False),
        *((service, said, False) for service in ("S3", "GCS", "Azure") for said in ("QEMU\n", None)),
    ],
)
def test_the_metadata_address_is_used_only_on_machines_of_the_cloud(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str, said: str | None, asked: bool
) -> None:
    if said is not None:
        (tmp_path / "vendor").write_text(said)
    monkeypatch.setattr(clouds, "_FILES", (str(tmp_path / "absent"), str(tmp_path / "vendor")))
    assert clouds.is_machine_of(service) is asked


def test_the_first_variable_that_is_set_and_not_empty_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ("ZARRSCOPE_A", "ZARRSCOPE_B", "ZARRSCOPE_C")
    assert clouds.first_set(names) is None
    assert not clouds.any_set(names)
    for name, value in zip(names, ("", "2", "3"), strict=True):
        monkeypatch.setenv(name, value)
    assert clouds.first_set(names) == "2"
    assert clouds.any_set(names)


@pytest.mark.parametrize(
    ("value", "expected"),
    [("1", True), (" True ", True), ("YES", True), ("0", False), ("no", False), ("", False)],
)
def test_usual_spellings_of_yes_are_known(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: bool
) -> None:
    monkeypatch.setenv("ZARRSCOPE_A", value)
    assert clouds.is_yes("ZARRSCOPE_A") is expected
    assert not clouds.is_yes("ZARRSCOPE_ABSENT")
