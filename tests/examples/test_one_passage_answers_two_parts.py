"""A question of several parts, of which one passage answers two: it stands once, under the heading of both."""

from __future__ import annotations

from pathlib import Path

import fathom

PRICES = """# Prices of the garage

All including tax unless it says otherwise.

| What | Pounds |
| --- | --- |
| Full service | 239 |
| Puncture | 18 |
| Wheel alignment, four wheels | 65 |
| Labour per hour, private customers | 72 |
| Labour per hour, trade | 54 |
| Storage per day after the fifth day | 8 |

Pensioners get ten per cent off all labour on Wednesdays, with their card.
"""
HOURS = "# Opening hours\n\nHob opens the gate on Saturdays at half past eight. On weekdays it is open at eight.\n"
MINUTES = "# Minutes\n\nThe coffee machine stays. The pension letters were given out. Parts were late again.\n"


async def test_a_passage_that_answers_two_parts_answers_both(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    for name, text in {"prices": PRICES, "hours": HOURS, "minutes": MINUTES}.items():
        (documents / f"{name}.md").write_text(text, encoding="utf-8")
    settings = fathom.Settings(home=tmp_path / "home")

    report = await fathom.research(
        "We open again and I need to know what we charge trade customers per hour, who opens the gate on Saturdays,"
        " and whether pensioners get something off.",
        documents=[documents],
        settings=settings,
    )

    _, first, gate = report.markdown.partition("\n## Sources")[0].split("\n## ")
    assert first.startswith("What we charge trade customers per hour? · Whether pensioners get something off")
    assert "54" in first and "Pensioners get ten per cent off" in first
    assert "Hob opens the gate" in gate
    assert report.markdown.count("239") == 1
    replayed = await fathom.replay(report.run_id, settings=settings)
    assert replayed.markdown == report.markdown
