"""`fathom export RUN FILE.zip`, `fathom import`, and `fathom share`, as a person types them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import QUESTION, Call


@pytest.fixture
def run_id(call: Call, notes: Path) -> str:
    assert call("research", QUESTION, "--docs", notes, "--quiet").code == 0
    return json.loads(call("runs", "--format", "json").out)[0]["run_id"]  # type: ignore[no-any-return]


def test_a_run_goes_to_another_home_and_replays_there(
    call: Call, run_id: str, notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("report.md", "report.json", "report.html", "report.bib")
    (tmp_path / "mine").mkdir()
    assert call("export", run_id, tmp_path / "report.zip", *(tmp_path / "mine" / name for name in names)).code == 0
    listed = call("sources", run_id).out
    assert "imported" not in call("runs").out + call("show", run_id).out
    monkeypatch.setenv("FATHOM_HOME", str(tmp_path / "clean"))

    done = call("import", tmp_path / "report.zip")
    assert (done.code, done.out) == (0, "")
    assert re.fullmatch(rf"{run_id} is imported: .+", done.err.strip())
    assert "is here already" in call("import", tmp_path / "report.zip").err

    (tmp_path / "theirs").mkdir()
    assert call("export", run_id, *(tmp_path / "theirs" / name for name in names)).code == 0
    for name in names[1:]:
        assert (tmp_path / "theirs" / name).read_bytes() == (tmp_path / "mine" / name).read_bytes(), name
    assert call("sources", run_id).out == listed.replace(f"file://{notes}", "file://")
    again = tmp_path / "again.json"
    assert call("replay", run_id, "--json", again, "--out", tmp_path / "again.md").code == 0
    assert again.read_bytes() == (tmp_path / "theirs" / "report.json").read_bytes()
    assert re.search(rf"{run_id} .*\(imported\)", call("runs").out)
    assert re.search(r"^imported  \d{4}-\d\d-\d\d ", call("show", run_id).out, re.MULTILINE)
    assert call("fork", run_id).complaints[0].count("was imported") == 1


def test_a_file_that_is_no_bundle_is_one_line_and_usage(call: Call, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"nothing")
    for name in ("x.zip", "missing.zip"):
        done = call("import", tmp_path / name)
        assert (done.code, len(done.complaints)) == (2, 1), done.err
        assert name in done.complaints[0]


def test_a_link_is_printed_listed_and_revoked(call: Call, run_id: str) -> None:
    made = call("share", run_id[:-2], "--expires", "30d")
    assert made.code == 0
    assert re.fullmatch(r"http://127\.0\.0\.1:8000/shared/fathom_[\w-]{43}\n", made.out)
    assert run_id in made.err and "until 20" in made.err
    assert call("share", run_id).code == 0

    listed = json.loads(call("token", "list", "--format", "json").out)
    assert [(each["token_id"][:4], each["name"], each["status"]) for each in listed] == [
        ("lnk_", run_id, "in force"),
        ("lnk_", run_id, "in force"),
    ]
    assert made.out.strip()[-43:] not in json.dumps(listed)

    assert "1 token revoked" in call("token", "revoke", listed[0]["token_id"]).err
    assert "1 token revoked" in call("token", "revoke", run_id).err
    assert call("token", "revoke", run_id).code == 2
    assert {each["status"] for each in json.loads(call("token", "list", "--format", "json").out)} == {"revoked"}


def test_what_has_no_report_is_not_shared(call: Call) -> None:
    assert call("share", "run_zzz").code == 2
