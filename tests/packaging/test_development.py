"""Configuration for people who change zarrscope: hooks, workflow, issue forms, changelog."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from tests.command import run_at_root

ROOT = Path(__file__).parents[2]


def test_the_hooks_are_valid_and_run_programs_of_the_environment() -> None:
    validated = run_at_root("pre-commit", "validate-config", ".pre-commit-config.yaml")
    assert (validated.returncode, validated.stdout) == (0, "")
    (repository,) = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"]
    programs = [hook["entry"].split()[0] for hook in repository["hooks"]]
    assert {program.removeprefix(".venv/bin/") for program in programs} == {
        "ruff",
        "mypy",
        "lint-imports",
        "python",
    }


def test_the_workflow_runs_the_tests_on_each_supported_python() -> None:
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "test.yml").read_text())
    job = workflow["jobs"]["test"]
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["classifiers"]
    supported = [line.rpartition(" ")[2] for line in classifiers if re.search(r"Python :: 3\.\d+$", line)]
    assert job["strategy"]["matrix"]["python"] == supported
    assert job["steps"][-1]["run"] == "packaging/test --python ${{ matrix.python }}"


def test_a_workflow_runs_the_campaigns_each_night() -> None:
    (job,) = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text())["jobs"].values()
    assert job["steps"][-1]["run"].endswith("packaging/test --all")


@pytest.mark.parametrize(
    "form", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")), ids=lambda form: form.stem
)
def test_issue_forms_are_yaml_with_unique_fields(form: Path) -> None:
    fields = [field["id"] for field in yaml.safe_load(form.read_text()).get("body", ())]
    assert len(fields) == len(set(fields))


def test_the_changelog_names_the_version() -> None:
    assert version("zarrscope") in (ROOT / "core" / "docs" / "changelog.md").read_text()
