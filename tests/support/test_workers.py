"""Tests that are done side by side: nothing of what they say is lost, nor is one that takes its process with it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

ROOT = Path(__file__).parents[2]
DIES = """
    import os
    def test_is_fine(): pass
    def test_dies(): os.kill(os.getpid(), 9)
"""
SPEAKS = """
    import pytest
    def test_has_what_it_prints(capsys): print("x"); assert capsys.readouterr().out == "x\\n"
    def test_fails(tmp_path): print("heard"); assert tmp_path == 2
    @pytest.mark.skip("not here")
    def test_is_skipped(): pass
    def test_fails_at_its_end(request): request.addfinalizer(lambda: 1 / 0)
"""


def test_every_outcome_is_told_also_of_a_test_that_takes_its_process_with_it(tmp_path: Path) -> None:
    for name, text in {"dies": DIES, "speaks": SPEAKS, "fine": "def test_fine(): pass"}.items():
        (tmp_path / f"test_{name}.py").write_text(dedent(text), encoding="utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = --disable-plugin-autoload\n", encoding="utf-8")
    pytest = [sys.executable, "-m", "pytest", "-c", str(tmp_path / "pytest.ini"), "-p", "tests.support.workers"]
    command = [*pytest, "--workers", "2", "-rs", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1, done.stderr
    assert "2 failed, 4 passed, 1 skipped, 1 error" in done.stdout, done.stdout
    for said in ("_ test_dies _", "The process ended with -9.", "== 2\n", "heard\n", "not here", "ZeroDivisionError"):
        assert said in done.stdout, (said, done.stdout)
