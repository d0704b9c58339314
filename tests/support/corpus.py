"""A few documents and a question of several parts, for whole runs with a model in a second."""

from __future__ import annotations

from pathlib import Path

QUESTION = (
    "How high is the Norvik lighthouse and when was it built, how far does its light reach,"
    " and who has kept it since the harbour was closed?"
)
TEXTS = {
    "tower.md": """# The tower

The Norvik lighthouse is 43 metres high. It was built in 1871 of grey granite from the quarry at Hestnes.

The tower has 212 steps and seven windows. Lightning struck it in 1904, and the top nine metres were built anew.
""",
    "light.md": """# The light

The light of the Norvik lighthouse reaches 19 nautical miles. A lens of the first order turns once in 40 seconds.

Until 1932 the lamp burned paraffin; since then it has been electric. In fog a horn sounds every 30 seconds.
""",
    "keepers.md": """# The keepers

The harbour of Norvik was closed in 1968. Since it was closed, a trust of local families has kept the lighthouse.

The last keeper, Ingrid Solheim, lived in the tower from 1951 to 1968. The trust opens the lighthouse in summer.
""",
    "charts.txt": """Older charts give the height of the Norvik lighthouse as 41 metres, measured from the rock.

The lighthouse stands at the mouth of the fjord. Ships that enter the harbour of Norvik once steered by its light.
""",
}


def corpus(folder: Path) -> Path:
    """A folder that holds them."""
    made = folder / "documents"
    made.mkdir(parents=True)
    for name, text in TEXTS.items():
        (made / name).write_text(text, encoding="utf-8")
    return made
