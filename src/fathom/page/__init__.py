"""The page: static files, served as they are; nothing is built."""

from __future__ import annotations

ASSETS: tuple[tuple[str, str], ...] = (("fathom.page", "static"), ("fathom.render.html", "static"))
"""What `/assets` serves: packages and the folder in them, the first that has a file wins (`StaticFiles(packages=…)`).

How a report looks stands beside what writes it as a file, so that both show the same."""
