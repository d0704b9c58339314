"""The example that makes the README's picture of the page."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "examples" / "page.py"


@pytest.mark.soak
@pytest.mark.skipif(not shutil.which("chromium"), reason="Chromium is not installed")
def test_the_picture_is_of_a_report_beside_a_source(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, SCRIPT, tmp_path / "page.png"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    picture = (tmp_path / "page.png").read_bytes()
    assert picture.startswith(b"\x89PNG") and len(picture) > 50_000  # an empty page has a tenth of that
