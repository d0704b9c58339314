"""Shared by tests: the papers of a club, of which each leads to another one that shares no word with the question."""

from __future__ import annotations

RULES = """# Rules of the apiary

Each keeper has at most three hives. The gate is shut at 19:30.

Before you leave a hive for the winter:

1. Put the mouse guard on.
2. Set the Bramley strap, and note it on the card.

If a swarm hangs anywhere, ring the swarm officer.
"""
STRAP = (
    "# The Bramley strap\n\nTighten it until the ratchet clicks twice, never more: the third click splits the floor.\n"
)
MINUTES = """# Committee, 4 March

- Ida is swarm officer again, 07700 900812, evenings too.
- A fourth hive for the club: shall we allow it? Tom worried about the hornet notice.
"""
MAIL = "The club would pay £60 a year for a fourth hive. The hornet notice cannot last for ever, can it?\n"
NOTICE = (
    "# Hornet notice\n\nUntil 30 September no additional colony may be brought within five kilometres of the mill.\n"
)
PAPERS = {"rules": RULES, "strap": STRAP, "minutes": MINUTES, "mail": MAIL, "notice": NOTICE}
