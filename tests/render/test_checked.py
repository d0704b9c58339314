"""A checked text as an HTML file."""

from __future__ import annotations

from fathom.render.html.checked import render
from fathom.report import SupportStatus, Verdicts
from fathom.verification.texts import CheckedSentence, CheckedText, HeldAgainst

EVIL = "<script>alert(1)</script>"


def sentence(text: str, status: SupportStatus, *, repair: str = "") -> CheckedSentence:
    against = HeldAgainst(title=f"Notes {EVIL}", uri="file:///home/me/notes.md", locator="A › B", quote=f"q {EVIL}")
    return CheckedSentence(
        text=text, status=status, by="rule", why=f"w {EVIL}", score=0.5, against=against, repair=repair
    )


def test_every_sentence_stands_with_its_status_and_what_it_was_held_against() -> None:
    sentences = (
        sentence("Good.", "quoted"),
        sentence("Not good.", "contradicted", repair="Better."),
        CheckedSentence(text="Alone.", status="unsupported", by="rule", why="nothing speaks of it", score=0),
    )
    verdicts = Verdicts(quoted=1, contradicted=1, unsupported=1)
    html = render(CheckedText(title="draft.md", sentences=sentences, verdicts=verdicts))
    assert html.count("<details open>") == 2 and html.count("<details>") == 1
    assert "(contradicted)" in html and "→ <ins>Better.</ins>" in html and "nothing speaks of it" in html
    assert "3 sentences checked:" in html and "1 not supported" in html


def test_a_text_is_material_and_no_address_of_this_machine_is_told() -> None:
    text = CheckedText(title=EVIL, sentences=(sentence(EVIL, "partial", repair=EVIL),), verdicts=Verdicts(partial=1))
    html = render(text)
    assert "<script" not in html and "/home/me" not in html


def test_a_japanese_text_has_japanese_words() -> None:
    text = CheckedText(title="草案", sentences=(sentence("上限は64です。", "unjudged"),), verdicts=Verdicts(unjudged=1))
    assert '<html lang="ja">' in render(text) and "（未確認）" in render(text)
