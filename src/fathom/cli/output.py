"""Where a report goes: standard output, files, and the folder in which reports are kept."""

from __future__ import annotations

import csv
import errno
import functools
import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import click

from fathom.cli.options import F
from fathom.comparison.records import Comparison
from fathom.errors import StoreError, UsageError
from fathom.report import Report
from fathom.text.harmless import file_name
from fathom.text.places import portable

Style = Literal["report", "summary", "bullets"]

KEPT_IN = Path("reports")
STDOUT = Path("-")


@dataclass(frozen=True)
class Destinations:
    """Where the report of this command goes."""

    out: Path | None = None
    """File for the Markdown; `-` and `None` are standard output."""
    json_file: Path | None = None
    """File for the JSON; `-` is standard output."""
    style: Style = "report"
    """What the Markdown tells; the JSON and the HTML are always the whole."""
    html_file: Path | None = None
    """File for the HTML."""

    def check(self) -> None:
        """Refuse what cannot be written to, before the work begins.

        Raises:
            UsageError: says which file, and why.
        """
        if self.html_file == STDOUT:
            raise UsageError("--html needs a file: standard output is for the Markdown or the JSON.")
        named = {"--out": self.out, "--json": self.json_file, "--html": self.html_file}
        files = [file for file in named.values() if file is not None and file != STDOUT]
        for file in files:
            try:
                _check_writable(file.resolve())
            except (OSError, RuntimeError) as error:  # a name that is too long, a link that leads to itself
                reason = error.strerror if isinstance(error, OSError) else error
                raise UsageError(f"{file} cannot be written: {reason}. Choose another file.") from error
        for file in files:
            same = [flag for flag, other in named.items() if other in files and other.resolve() == file.resolve()]
            if len(same) > 1:
                raise UsageError(f"{' and '.join(same)} name the same file, {file}. Give them different files.")

    def spare(self, template: Path | None) -> None:
        """Refuse to write over the template that the report is made after.

        Raises:
            UsageError: says which file it is.
        """
        files = (file for file in (self.out, self.json_file, self.html_file) if file is not None and file != STDOUT)
        if template and template.resolve() in {file.resolve() for file in files}:
            raise UsageError(f"The report would be written over its template {template}. Choose another file.")

    def write(
        self,
        report: Report,
        snapshots: Mapping[str, str] | None = None,
        records: Mapping[str, Sequence[Mapping[str, str]]] | None = None,
    ) -> list[Path]:
        """Write the report to all of them; its pictures stand beside a file of the whole report.

        `snapshots` are the texts of its sources by their digest: the HTML shows what stands around a quotation.
        `records` are all records of a list that the report has a part of, by dataset: they stand beside the Markdown.

        Returns:
            The files that hold it now, Markdown first.

        Raises:
            StoreError: a file cannot be written; the run keeps its report.
        """
        from fathom.render import formats  # rich is only needed now

        own, report = report, portable(report)
        told = formats.get("markdown" if self.style == "report" else self.style)
        json_text = formats.get("json")(report)
        written = []
        if self.out is not None and self.out != STDOUT:
            written += [self._write_with_pictures(self.out, own), *_write_records(self.out, records or {}, report)]
        if self.json_file == STDOUT:
            print_text(json_text)
        elif self.json_file is not None:
            written.append(_write(self.json_file, json_text, report))
        if self.html_file is not None:
            from fathom.render import html  # jinja2 is only needed now

            written.append(_write(self.html_file, html.render(report, snapshots=snapshots), report, flag="--html"))
        if self.json_file != STDOUT and (self.out is None or self.out == STDOUT):
            on_terminal = sys.stdout.isatty()
            if on_terminal and not written:
                file = self._write_with_pictures(self._kept_name(own), own)
                written += [file, *_write_records(file, records or {}, report)]
            if on_terminal:  # whose links open on this machine
                print_text(formats.get("terminal")(own.model_copy(update={"markdown": told(own)})))
            else:
                print_text(told(portable(own, beside=Path())))
        return written

    def lacks_pictures(self, report: Report) -> str:
        """How to have the figures drawn that a file of this report shows as tables alone; empty when none is."""
        from fathom.render.charts import INSTALL, can_draw
        from fathom.render.pictures import drawable

        by_markdown = self.out is not None and _takes_pictures(self.out) and self.style == "report"
        if not (by_markdown or self.html_file) or not drawable(report) or can_draw():
            return ""
        return f"The report's figures are tables only; with `{INSTALL}` they are drawn as well."

    def _write_with_pictures(self, file: Path, report: Report) -> Path:
        """The Markdown and its pictures, these first: whoever sees it finds them."""
        markdown, pictures = self._illustrated(file, report)
        for name, svg in pictures.items():
            _write(file.with_name(name), svg, report)
        return _write(file, markdown, report)

    def _illustrated(self, file: Path, report: Report) -> tuple[str, dict[str, str]]:
        """The Markdown, whose links open from where it stands, and its pictures by their names."""
        from fathom.render import formats
        from fathom.render.pictures import illustrated

        report = portable(report, beside=file.parent if _takes_pictures(file) else None)
        if self.style == "report" and report.figures and _takes_pictures(file):
            return illustrated(report, file.stem)
        return formats.get("markdown" if self.style == "report" else self.style)(report), {}

    def _kept_name(self, report: Report) -> Path:
        """A file below `KEPT_IN` named after the day and the title: a new one, or the one that holds the same."""
        stem = f"{report.created_at[:10]}_{file_name(report.title)}"
        try:
            KEPT_IN.mkdir(exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"The folder {KEPT_IN.resolve()} cannot be made: {error.strerror}. The run keeps its report: "
                f"`fathom replay {report.run_id} --out FILE`."
            ) from error
        for name in (f"{stem}.md", *(f"{stem}_{number}.md" for number in range(2, 1000))):
            path = KEPT_IN / name
            kept = path.read_bytes() if path.is_file() else None
            if not path.exists() or kept == self._illustrated(path, report)[0].encode():
                return path
        raise StoreError(f"{KEPT_IN / stem}.md and 998 more of that name exist. Move some of them away.")


def output_options(function: F) -> F:
    """`--out`, `--json`, `--html` and `--style`, checked and together as `destinations`; `--quiet` as `quiet`."""
    command: Callable[..., Any] = function
    for option in (
        click.option("--quiet", "-q", is_flag=True, help="Show nothing but the report and errors."),
        click.option(
            "--style",
            type=click.Choice(get_args(Style)),
            default="report",
            help="The whole report, its summary, or its key findings as bullet points; JSON is always whole. [report]",
        ),
    ):
        command = option(command)
    return file_options(command)  # type: ignore[return-value]


def file_options(function: F) -> F:
    """`--out`, `--json` and `--html`, checked and together as `destinations`."""

    @functools.wraps(function)
    def with_destinations(
        out: Path | None, json_file: Path | None, html_file: Path | None, style: Style = "report", **parameters: Any
    ) -> Any:
        destinations = Destinations(out, json_file, style, html_file)
        destinations.check()
        return function(**parameters, destinations=destinations)

    command: Callable[..., Any] = with_destinations
    for option in (
        click.option(
            "--html",
            "html_file",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Also write one HTML file; the footnotes of a report show what is quoted in its context.",
        ),
        click.option(
            "--json",
            "json_file",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Also write JSON; `-` writes it to standard output in place of the Markdown.",
        ),
        click.option(
            "--out",
            "-o",
            metavar="FILE",
            type=click.Path(path_type=Path),
            help="Write the Markdown to this file and not to standard output.",
        ),
    ):
        command = option(command)
    return command  # type: ignore[return-value]


def _write_records(file: Path, records: Mapping[str, Sequence[Mapping[str, str]]], report: Report) -> Iterator[Path]:
    """All records of each dataset as CSV beside a file, where there is a folder to put them in."""
    for name, rows in records.items() if _takes_pictures(file) else ():
        text = io.StringIO()
        table = csv.DictWriter(text, list(dict.fromkeys(field for row in rows for field in row)))
        table.writeheader()
        table.writerows(rows)
        yield _write(file.with_name(f"{file.stem}.{file_name(Path(name).stem)}.csv"), text.getvalue(), report)


def write_atomically(path: Path, content: str | bytes) -> None:
    """Put `content` in place of the file in one step: whoever looks sees the old file or the new one, never a part.

    Text is written in UTF-8. What is not a regular file, like `/dev/null` or a pipe, is written to as it is.

    Raises:
        OSError: as the system gave it; the file is as it was.
    """
    path, data = path.resolve(), content.encode() if isinstance(content, str) else content
    if path.exists() and not path.is_file():
        path.write_bytes(data)
        return
    with _temporary(path) as temporary:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if path.exists():
            temporary.chmod(path.stat().st_mode & 0o7777)
        temporary.replace(path)


def compared_text(comparison: Comparison) -> str:
    """What two reports have of each other, for standard output: as Markdown, and on a terminal in its colours."""
    from fathom.render.comparison import markdown, terminal

    return terminal.render(comparison) if sys.stdout.isatty() else markdown.render(comparison)


def write_file(file: Path, content: str | bytes, *, cure: str = "") -> None:
    """Put `content` in place of the file, as `write_atomically` does; the `cure` is what to do if that fails.

    Raises:
        StoreError: it cannot be written.
    """
    try:
        write_atomically(file, content)
    except OSError as error:
        raise StoreError(f"{file} cannot be written: {error.strerror or error}.{cure}") from error


@contextmanager
def _temporary(path: Path) -> Iterator[Path]:
    """A name beside `path` that is free, and free again when something goes wrong. What the killed left there goes."""
    for left in path.parent.glob(".*.fathom-*.tmp"):
        if _is_gone(left.stem.rpartition("-")[2]):
            left.unlink(missing_ok=True)
    temporary = path.with_name(f".{path.name[:80]}.fathom-{os.getpid()}.tmp")
    try:
        yield temporary
    finally:
        temporary.unlink(missing_ok=True)


def _is_gone(pid: str) -> bool:
    """Whether no process of that number is there, as far as can be told."""
    if sys.platform == "win32" or not pid.isdecimal():  # nobody can be asked there without being told to end
        return False
    try:
        os.kill(int(pid), 0)
    except (OSError, OverflowError) as error:
        return not isinstance(error, PermissionError)
    return False


def _check_writable(file: Path) -> None:
    if file.is_dir():
        raise UsageError(f"{file} is a folder. Name a file in it.")
    if not file.parent.is_dir():
        raise UsageError(f"{file} cannot be written: there is no folder {file.parent}. Make it first.")
    if file.exists() and not file.is_file():
        return
    if file.exists() and not os.access(file, os.W_OK):
        raise UsageError(f"{file} cannot be written: permission denied. Choose another file.")
    with _temporary(file) as temporary:
        temporary.touch(exist_ok=False)


def _write(file: Path, text: str, report: Report, *, flag: str = "--out") -> Path:
    write_file(file, text, cure=f" The run keeps its report: `fathom replay {report.run_id} {flag} FILE`.")
    return file


def _takes_pictures(file: Path) -> bool:
    """Whether it has a folder to put them in: a pipe or `/dev/null` has none."""
    return file != STDOUT and (file.is_file() or not file.exists())


def print_text(text: str) -> None:
    """Print to standard output in UTF-8, whatever the locale says."""
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
        sys.stdout.buffer.flush()
    except OSError as error:
        if error.errno != errno.EPIPE:  # whoever stopped reading does not want the rest
            raise
