"""The report's Markdown with a picture above the table of each figure."""

from __future__ import annotations

from urllib.parse import quote

from fathom.render.charts import can_draw, draw
from fathom.render.markdown import caption
from fathom.report import Figure, Report
from fathom.text.commonmark import inert


def drawable(report: Report) -> tuple[Figure, ...]:
    """The figures of the report that are more than a table."""
    return tuple(figure for figure in report.figures if figure.kind != "table")


def illustrated(report: Report, stem: str) -> tuple[str, dict[str, str]]:
    """The Markdown, and the pictures as SVG by the names of their files: `<stem>.F1.svg`, …

    Without what draws them (see `can_draw`) it is the report's own Markdown, and there are none.
    """
    markdown, pictures = report.markdown, {}
    if not can_draw():
        return markdown, {}
    for figure in drawable(report):
        line = f"\n\n{caption(figure)}\n\n"
        if line not in markdown:
            continue
        name = f"{stem}.{figure.id}.svg"
        pictures[name] = draw(figure, language=report.language)
        picture = f"\n\n![{inert(figure.title, in_link=True)}]({quote(name)})"
        markdown = markdown.replace(line, f"{picture}{line}", 1)
    return markdown, pictures
