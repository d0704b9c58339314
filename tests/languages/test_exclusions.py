"""What a question leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

import fathom
from fathom.settings import load_settings


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Besides the hotline, how can I report a fault in the lift?", "Post"),
        ("Wie kann ich eine Störung im Aufzug melden, außer bei der Hotline?", "Post"),
        ("Who reports a fault in the lift?", "Hotline"),
    ],
)
async def test_what_a_question_leaves_out_stands_behind_what_it_does_not(
    question: str, first: str, tmp_path: Path
) -> None:
    fault = "A fault in the lift is reported {}. Eine Störung im Aufzug melden Sie {}."
    (tmp_path / "hotline.md").write_text(
        f"# Hotline: report a fault, Störung melden\n\n{fault.format('by ringing it', 'dort')}\n", encoding="utf-8"
    )
    (tmp_path / "post.md").write_text(f"# Post\n\n{fault.format('by a letter', 'per Brief')}\n", encoding="utf-8")
    settings = load_settings(home=tmp_path / "home")
    report = await fathom.research(question, documents=[tmp_path], settings=settings)

    assert report.markdown.startswith(f"# {question}\n")
    assert report.markdown.partition("**")[2].startswith(first)
