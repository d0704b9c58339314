"""Where a report goes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fathom.cli.output import Destinations, write_atomically
from fathom.errors import UsageError


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


def test_report_and_json_need_different_files(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="different files"):
        Destinations(out=tmp_path / "report", json_file=tmp_path / "." / "report").check()
