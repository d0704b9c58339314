"""Pictures of figures as addresses that hold them: an image can run nothing and ask nobody for anything."""

from __future__ import annotations

import base64
from functools import lru_cache

from fathom.render.charts import can_draw, draw
from fathom.report import Figure


def picture(figure: Figure, language: str) -> str:
    """The figure as SVG in a `data:` address; empty when it is a table alone, or nothing can draw it."""
    return _drawn(figure, language) if figure.kind != "table" and can_draw() else ""


@lru_cache(maxsize=32)
def _drawn(figure: Figure, language: str) -> str:
    svg = draw(figure, language=language, titled=False)
    return f"data:image/svg+xml;base64,{base64.b64encode(svg.encode()).decode()}"
