"""The Debian packages: built, checked by lintian, installed, used and purged."""

from __future__ import annotations

from pathlib import Path

from tests.packaging.clean_roots.conftest import Script


def test_the_packages_of_a_release_work_and_leave_nothing(
    release: str, script: Script, tmp_path: Path
) -> None:
    script("packaging/debian", release, tmp_path)
    assert len(list(tmp_path.glob("*.deb"))) == 2
    said = script("packaging/debian", "--try", release, tmp_path)
    assert "checking them with lintian" in said
    assert "leave nothing" in said
    assert (tmp_path / f"window-{release}.png").stat().st_size > 10_000
