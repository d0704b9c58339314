"""The example that makes the picture of the README."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "examples" / "both_worlds.py"


def test_the_picture_is_of_a_report_on_both_worlds_and_tells_no_path(tmp_path: Path) -> None:
    example = runpy.run_path(str(SCRIPT))

    report = example["report_of"](tmp_path)
    picture = example["picture_of"](report.markdown)

    assert {source.kind for source in report.sources if source.id in report.cited} == {"file", "web"}
    assert not report.partial and all(claim.verified for claim in report.claims)
    assert str(tmp_path) not in picture
    assert re.findall(r"url\((?!#)|@import|href=", picture) == []
