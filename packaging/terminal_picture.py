"""Make the README's picture of a terminal: real commands on a real mount of the demonstration's hierarchy.

.venv/bin/python packaging/terminal_picture.py
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).parents[1]
PICTURE = ROOT / "zfs" / "docs" / "mount.svg"
COLUMNS = 100
COMMANDS = (
    "zarrscope mount brain.zarr mnt",
    "ls -C mnt mnt/arrays mnt/arrays/functional",
    "ls -lh mnt/arrays/functional/data.npy mnt/hdf5/functional.h5",
    "python3 -c \"import numpy as np; print(np.load('mnt/arrays/functional/[1,12].npy').shape)\"",
    "h5ls mnt/hdf5/functional.h5",
)


def main() -> None:
    console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "LC_ALL": "C.UTF-8",
    }
    with tempfile.TemporaryDirectory() as folder:
        runpy.run_path(str(ROOT / "packaging" / "demo_hierarchy.py"))["write"](f"{folder}/brain.zarr")
        Path(folder, "mnt").mkdir()
        try:
            for command in COMMANDS:
                console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
                done = subprocess.run(
                    ["bash", "-c", command],
                    cwd=folder,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=True,
                )
                console.print(Text(done.stdout), end="")
        finally:
            subprocess.run(["zarrscope", "umount", "mnt"], cwd=folder, env=environment, check=True)
    # The format loads a font from the network, which a document must not do.
    plain = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_text(
        console.export_svg(title="a mounted hierarchy", code_format=plain, unique_id="mount"), "utf-8"
    )


if __name__ == "__main__":
    main()
