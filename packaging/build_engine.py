"""Compile the engine (``core/native``) into the package, for hatch when it builds a wheel, and for a checkout.

    python packaging/build_engine.py      compile it if it is missing or older than its source

It needs a C compiler and nothing else: no header of Python, no library. Without a compiler the wheel is pure Python, and works as
well, but more slowly. Environment variables:

    CC                     the compiler and its first arguments, for instance "zig cc -target aarch64-linux-gnu.2.17"
    ZARRSCOPE_PLATFORM     the platform of the wheel, for instance manylinux_2_17_aarch64; by default this machine's
    ZARRSCOPE_ENGINE=none  builds a wheel without the engine
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARY = "core/zarrcore/native/libengine.so"
SOURCE = "core/native"
_OPTIONS = (
    "-std=c11",
    "-O2",
    "-fPIC",
    "-shared",
    "-fstack-protector-strong",
    "-Wl,-z,relro",
    "-Wl,-z,now",
    "-s",
)


class EngineHook(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's configuration of it is of no interest
    """Compiles the engine, and names the wheel after the platform if that worked."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile before the files of the wheel are collected."""
        if os.environ.get("ZARRSCOPE_ENGINE") == "none":
            Path(self.root, LIBRARY).unlink(missing_ok=True)
            return
        why_not = compile_engine(Path(self.root))
        if why_not:
            self.app.display_warning(f"the engine is not built, zarrscope will be slower: {why_not}")
            return
        build_data["artifacts"].append(LIBRARY)
        if version != "editable":
            platform = os.environ.get("ZARRSCOPE_PLATFORM") or sysconfig.get_platform()
            build_data["pure_python"] = False
            build_data["tag"] = f"py3-none-{platform.replace('-', '_').replace('.', '_')}"


def compile_engine(root: Path) -> str:
    """Compile the engine in a source tree. Return the reason if that was not possible, otherwise nothing."""
    if sys.platform != "linux":
        return "it is for Linux"
    command = shlex.split(os.environ.get("CC") or "cc")
    if not command or shutil.which(command[0]) is None:
        return f"the C compiler {command[0]} is not on the PATH" if command else "CC names no compiler"
    library = root / LIBRARY
    # Programs that use the old one keep it: a file that is written to would change under them.
    new = library.with_name(f".{library.name}.{os.getpid()}")
    ran = subprocess.run(
        [*command, *_OPTIONS, "-o", str(new), str(root / SOURCE / "engine.c")],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        new.unlink(missing_ok=True)
        return f"{shlex.join(command)} failed: {ran.stderr.strip()[-500:]}"
    new.replace(library)
    return ""


def is_current(root: Path) -> bool:
    """Whether the library of a source tree is newer than all its source."""
    library = root / LIBRARY
    if not library.exists():
        return False
    newest = max(file.stat().st_mtime for file in (root / SOURCE).iterdir())
    return library.stat().st_mtime >= newest


if __name__ == "__main__":
    tree = Path(__file__).resolve().parents[1]
    if not is_current(tree) and (problem := compile_engine(tree)):
        print(f"the engine is not built: {problem}", file=sys.stderr)
