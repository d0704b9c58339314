"""Where a report goes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from fathom.cli.output import Destinations, Style, write_atomically
from fathom.errors import UsageError
from fathom.render import formats
from fathom.report import Figure, Report
from fathom.text.places import portable
from tests.support.figures import bars, report_of


def test_a_file_is_replaced_as_a_whole_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    path.write_text("old")
    path.chmod(0o640)

    write_atomically(path, "neu und schön\n")

    assert path.read_bytes() == "neu und schön\n".encode()
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_a_new_file_has_the_mode_that_the_user_asks_for(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomically(tmp_path / "report.md", "text")
    finally:
        os.umask(before)
    assert (tmp_path / "report.md").stat().st_mode & 0o777 == 0o640


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    link = tmp_path / "report.md"
    link.symlink_to(tmp_path / "real" / "report.md")

    write_atomically(link, "text")

    assert link.is_symlink() and (tmp_path / "real" / "report.md").read_text() == "text"


def test_what_is_no_regular_file_is_written_to_as_it_is() -> None:
    Destinations(out=Path(os.devnull)).check()
    write_atomically(Path(os.devnull), "text")
    assert not Path(os.devnull).is_file()


@pytest.mark.parametrize(
    ("out", "reason"),
    [
        ("", "is a folder"),
        ("missing/report.md", "there is no folder"),
        ("file/report.md", "there is no folder"),
        ("/proc/report.md", "cannot be written"),
    ],
)
def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path, out: str, reason: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match=reason):
        Destinations(out=tmp_path / out).check()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_report_json_and_html_need_different_files(tmp_path: Path) -> None:
    report, same = tmp_path / "report", tmp_path / "." / "report"
    with pytest.raises(UsageError, match=r"--out and --json name the same file.* different files"):
        Destinations(out=report, json_file=same).check()
    with pytest.raises(UsageError, match=r"--json and --html name the same file"):
        Destinations(json_file=report, html_file=same).check()


def test_html_needs_a_file() -> None:
    with pytest.raises(UsageError, match="--html needs a file"):
        Destinations(html_file=Path("-")).check()


FIGURE = bars({"AI": 50.0, "Cloud": 40.0})


def test_pictures_stand_beside_the_file_that_shows_them(tmp_path: Path) -> None:
    out = tmp_path / "my report.md"
    destinations = Destinations(out=out)

    assert destinations.write(report_of(FIGURE)) == [out]

    assert {path.name for path in tmp_path.iterdir()} == {"my report.md", "my report.F1.svg"}
    assert "](my%20report.F1.svg)\n\n**F1** · " in out.read_text()
    assert (tmp_path / "my report.F1.svg").read_text().startswith("<svg")
    assert destinations.lacks_pictures(report_of(FIGURE)) == ""


def test_standard_output_shows_tables_alone(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    report = portable(report_of(FIGURE))
    Destinations().write(report)
    assert capfdbinary.readouterr().out.decode() == report.markdown


def test_a_report_that_is_kept_has_its_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    (kept,) = Destinations().write(report_of(FIGURE))
    assert kept.with_name(f"{kept.stem}.F1.svg").is_file()


def test_a_report_is_kept_once_under_the_day_and_its_title(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    report = report_of(FIGURE).model_copy(
        update={"title": "Orders by theme, in 2025", "created_at": "2026-01-31T10:00"}
    )
    names = [Destinations().write(each)[0].name for each in (report, report)]
    [other] = Destinations(style="summary").write(report)
    assert [*names, other.name] == [
        "2026-01-31_Orders_by_theme_in_2025.md",
        "2026-01-31_Orders_by_theme_in_2025.md",
        "2026-01-31_Orders_by_theme_in_2025_2.md",
    ]


def test_a_file_that_is_none_gets_no_pictures() -> None:
    destinations = Destinations(out=Path(os.devnull))
    destinations.write(report_of(FIGURE))
    assert not Path(f"{os.devnull}.F1.svg").exists()
    assert destinations.lacks_pictures(report_of(FIGURE)) == ""


@pytest.mark.parametrize(
    ("out", "style", "figures", "said"),
    [
        ("report.md", "report", (FIGURE,), True),
        ("report.md", "summary", (FIGURE,), False),
        ("report.md", "report", (), False),
        (None, "report", (FIGURE,), False),
    ],
)
def test_whoever_lacks_what_draws_is_told_when_a_picture_is_wanting(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    out: str | None,
    style: Style,
    figures: tuple[Figure, ...],
    said: bool,
) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    destinations = Destinations(out=tmp_path / out if out else None, style=style)
    report = report_of(*figures)
    destinations.write(report)
    assert ("pip install 'fathom-research[charts]'" in destinations.lacks_pictures(report)) is said
    assert [path.name for path in tmp_path.iterdir()] == (["report.md"] if out else [])


@pytest.mark.parametrize("style", ["summary", "bullets"])
def test_a_style_is_written_in_place_of_the_report_and_the_json_stays_whole(tmp_path: Path, style: Style) -> None:
    out, json_file = tmp_path / "report.md", tmp_path / "report.json"
    report = portable(report_of(FIGURE))

    Destinations(out, json_file, style).write(report)

    assert out.read_text() == formats.get(style)(report) != report.markdown
    assert Report.model_validate_json(json_file.read_text()) == report
    assert {path.name for path in tmp_path.iterdir()} == {"report.md", "report.json"}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not tell whether a process is gone")
def test_what_a_killed_export_has_left_goes_with_the_next_one_to_its_folder(tmp_path: Path) -> None:
    killed = (
        "import os, signal, sys; from pathlib import Path; from fathom.cli.output import write_atomically; "
        "os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL); write_atomically(Path(sys.argv[1]), 'half')"
    )
    gone = subprocess.run([sys.executable, "-c", killed, str(tmp_path / "report.md")], check=False)
    (left,) = tmp_path.iterdir()
    assert gone.returncode == -signal.SIGKILL and left.read_text() == "half"
    pids = [str(os.getppid()), "a", "²"]
    others = [*(tmp_path / f".report.md.fathom-{pid}.tmp" for pid in pids), tmp_path / ".other.md.1.tmp"]
    for file in others:
        file.write_text("half")

    write_atomically(tmp_path / "another.html", "whole")

    assert sorted(tmp_path.iterdir()) == sorted([tmp_path / "another.html", *others])
