"""The report as a document of an office or for a reader of books, which Pandoc makes of its Markdown with footnotes."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping
from importlib.util import find_spec

from fathom.errors import ConfigurationError, ProviderFault, TimedOut
from fathom.render import footnotes
from fathom.render.html.inert import language, lines
from fathom.report import Report

INSTALL = "pip install 'fathom-research[documents]'"
"""What brings Pandoc."""
SECONDS = 120
"""How long Pandoc may take."""
READS = "commonmark+pipe_tables+footnotes"
"""What of Markdown Pandoc knows here: what a report has."""


def can_convert() -> bool:
    """Whether Pandoc is installed."""
    return find_spec("pypandoc") is not None


def converted(report: Report, ending: str, *, snapshots: Mapping[str, str] | None = None) -> bytes:
    """The report as `docx`, `odt` or `epub`; the same bytes whenever it is made. Pandoc reads no file, and no address.

    Raises:
        ConfigurationError: Pandoc is not installed.
        ProviderFault, TimedOut: it has failed, or takes too long.
    """
    if not can_convert():
        raise ConfigurationError(f"A report is written as .{ending} by Pandoc, which is not installed: {INSTALL}.")
    from pypandoc import get_pandoc_path

    told = {"lang": language(report.language), "identifier": report.run_id, "date": report.created_at[:10]}
    options = ["--sandbox", f"--from={READS}", f"--to={ending}", "--output=-"]
    options += ["--shift-heading-level-by=-1", *(f"--metadata={name}:{value}" for name, value in told.items())]
    try:
        return subprocess.run(
            [get_pandoc_path(), *options, "+RTS", "-M1G", "-RTS"],
            input=lines(footnotes.render(report, snapshots=snapshots)).encode(),  # XML knows fewer characters
            capture_output=True,
            check=True,
            timeout=SECONDS,
        ).stdout
    except OSError as error:
        raise ConfigurationError(f"Pandoc cannot be started ({error}): {INSTALL}.") from error
    except subprocess.TimeoutExpired as error:
        raise TimedOut(f"The report is not written as .{ending}: Pandoc takes longer than {SECONDS} s.") from error
    except subprocess.CalledProcessError as error:
        why = error.stderr.decode("utf-8", "replace").strip().partition("\n")[0][:200]
        raise ProviderFault(f"The report is not written as .{ending}: Pandoc has failed ({why}).") from error
