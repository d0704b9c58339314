"""What is installed by whoever installs one of the packages of this project."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

_BUILD = "import sys; from flit_core.buildapi import build_wheel; print(build_wheel(sys.argv[1]))"


def wheel_of(project: Path, *, into: Path) -> set[str]:
    """The names of the files in the wheel that a project is built into."""
    command = [sys.executable, "-c", _BUILD, str(into)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(into / done.stdout.strip()) as wheel:
        return set(wheel.namelist())
