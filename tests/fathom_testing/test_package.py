"""The doubles are a package of their own."""

from __future__ import annotations

from pathlib import Path

import fathom
import fathom_testing
from tests.support.project_pages import ROOT
from tests.support.wheels import wheel_of


def test_the_wheel_of_fathom_holds_no_doubles_and_theirs_holds_nothing_else(tmp_path: Path) -> None:
    held = {name.split("/")[0] for name in wheel_of(ROOT, into=tmp_path)}
    doubles = wheel_of(ROOT / "testing", into=tmp_path)

    version = fathom.__version__
    assert fathom_testing.__version__ == version, "they are made for each other"
    assert held == {"fathom", f"fathom_research-{version}.dist-info"}
    assert {name.split("/")[0] for name in doubles} == {"fathom_testing", f"fathom_testing-{version}.dist-info"}
    assert {f"fathom_testing/{name}" for name in ("py.typed", "little_web/__main__.py", "events.py")} < doubles


def test_both_packages_have_the_same_licence() -> None:
    assert (ROOT / "testing" / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
