"""A report in the form that the ending of its file says."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from fathom.errors import UsageError
from fathom.outcomes import in_thread
from fathom.report import Report
from fathom.settings import Settings
from fathom.text.places import portable

Ending = Literal["footnotes.md", "pdf", "docx", "odt", "epub", "bib", "ris", "csl.json", "zip"]
"""Those beside the Markdown, the HTML and the JSON."""
BUNDLE = "zip"
"""Of the whole run, with its sources and its journal (see `Fathom.bundle`); all others are of the report alone."""


class Form(NamedTuple):
    """What stands in a file of some ending."""

    name: str
    """What it is called."""
    media_type: str
    """How HTTP names it."""
    format: str = ""
    """The format of reports that it holds (see `fathom.render.formats`); empty for a document that Pandoc makes."""


FORMS = {
    "docx": Form("Word", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
    "odt": Form("OpenDocument", "application/vnd.oasis.opendocument.text"),
    "pdf": Form("PDF", "application/pdf", "html"),
    "epub": Form("EPUB", "application/epub+zip"),
    "html": Form("HTML", "text/html", "html"),
    "md": Form("Markdown", "text/markdown", "markdown"),
    "footnotes.md": Form("Markdown [^1]", "text/markdown", "footnotes"),
    "bib": Form("BibTeX", "application/x-bibtex", "bibtex"),
    "ris": Form("RIS", "application/x-research-info-systems", "ris"),
    "csl.json": Form("CSL-JSON", "application/vnd.citationstyles.csl+json", "csl"),
    "json": Form("JSON", "application/json", "json"),
    BUNDLE: Form("ZIP", "application/zip", "zip"),
}
"""Each ending, without its first dot, and what it stands for."""


def ending_of(name: str) -> str:
    """The longest of the endings that a file's name has, in upper or lower case.

    >>> ending_of("sources.CSL.json"), ending_of("report.json")
    ('csl.json', 'json')

    Raises:
        UsageError: it has none of them; the message lists them.
    """
    found = [ending for ending in FORMS if name.lower().endswith(f".{ending}")]
    if not found:
        raise UsageError(f"{name} does not say what to write: end it in one of .{', .'.join(FORMS)}.")
    return max(found, key=len)


def exportable(settings: Settings) -> dict[str, str]:
    """The names of those `FORMS` that can be made here: some take what is not installed by default."""
    from fathom.pages.printing import can_print
    from fathom.render.documents import can_convert

    can = {"pdf": can_print(settings), "": can_convert()}
    return {ending: form.name for ending, form in FORMS.items() if can.get(ending if form.format else "", True)}


async def exported(
    report: Report, ending: str, settings: Settings, *, snapshots: Mapping[str, str] | None = None
) -> bytes:
    """A report in one of `FORMS` but the `BUNDLE`, with its local files named and no more.

    `snapshots` are the texts of its sources by their digest, which stand around the quotations of the HTML and the PDF,
    and by which a footnote names a line.

    Raises:
        ConfigurationError: what makes such a file is not installed.
        ProviderError: it has failed.
    """
    report, form = portable(report), FORMS[ending]

    def written() -> bytes:
        from fathom.render import documents, footnotes, formats, html

        if not form.format:
            return documents.converted(report, ending, snapshots=snapshots)
        if form.format == "html":
            return html.render(report, snapshots=snapshots).encode("utf-8", "replace")
        footnoted = form.format == "footnotes"
        text = footnotes.render(report, snapshots=snapshots) if footnoted else formats.get(form.format)(report)
        return text.encode("utf-8", "replace")

    content = await in_thread(written)
    if ending == "pdf":
        from fathom.pages.printing import printed  # what fetches pages is only needed now

        content = await printed(content.decode(), settings)
    return content
