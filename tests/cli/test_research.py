"""The commands around a run, from the question to its deletion."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import jsonschema
import lxml.html
import pytest

from fathom.render.json import schema
from fathom.text.phrases import phrases
from tests.cli.conftest import QUESTION, Call


def test_a_report_goes_to_standard_output_and_all_else_to_standard_error(call: Call, here: Path, notes: Path) -> None:
    done = call("research", QUESTION, "--docs", notes)

    assert done.code == 0
    assert done.out.startswith("# ") and "[S1]" in done.out and "naming.md" in done.out
    assert done.err.startswith("Fathom ")
    assert "quoted" in done.err and "task_1" in done.err
    assert list(here.iterdir()) == []  # it is kept below `reports/` on a terminal only


def test_quiet_shows_nothing_but_the_report(call: Call, notes: Path) -> None:
    done = call("research", QUESTION, "--docs", notes, "--quiet")
    assert done.out.startswith("# ") and done.err == ""


def test_out_and_json_hold_the_report_and_standard_output_nothing(call: Call, here: Path, notes: Path) -> None:
    done = call("research", QUESTION, "--docs", notes, "--out", "report.md", "--json", "report.json")

    assert (done.code, done.out) == (0, "")
    report = json.loads((here / "report.json").read_text(encoding="utf-8"))
    written = (here / "report.md").read_text(encoding="utf-8")
    assert written.replace(f"<../{notes.name}/", "<") == report["markdown"]
    assert sorted(path.name for path in here.iterdir()) == ["report.json", "report.md"]
    assert "Report: report.md" in done.err and report["run_id"] in done.err


def test_html_is_one_file_whose_footnotes_show_the_quotations_in_their_context(
    call: Call, here: Path, notes: Path
) -> None:
    done = call("research", QUESTION, "--docs", notes, "--out", "r.md", "--html", "r.html", "--json", "r.json")

    assert (done.code, done.out) == (0, "") and "Report: r.html" in done.err
    report = json.loads((here / "r.json").read_text(encoding="utf-8"))
    page = lxml.html.document_fromstring((here / "r.html").read_text(encoding="utf-8"))
    quoted = {evidence["id"]: evidence["quote"] for evidence in report["evidence"]}
    shown = [each for each in page.iter("li") if each.get("class") == "footnote"]
    assert shown and all(note.findtext(".//mark") == quoted[note.get("id")] for note in shown)
    around = [each.text for each in page.iter("span") if each.get("class") == "context"]
    assert any(around), "what stands around them comes from the snapshots"
    replayed = call("replay", report["run_id"], "--out", "-", "--html", "again.html")
    assert replayed.code == 0 and (here / "again.html").read_bytes() == (here / "r.html").read_bytes()


def test_json_can_go_to_standard_output(call: Call, notes: Path) -> None:
    done = call("research", QUESTION, "--docs", notes, "--json", "-")
    assert json.loads(done.out)["query"] == QUESTION


def test_no_file_that_a_report_is_written_to_tells_where_its_sources_are(call: Call, notes: Path) -> None:
    files = ("--out", "report.md", "--json", "report.json", "--html", "report.html")
    shown = call("research", QUESTION, "--docs", notes, *files)
    again = call("replay", json.loads(Path("report.json").read_text("utf-8"))["run_id"])
    for text in (shown.out, again.out, *(Path(name).read_text("utf-8") for name in files[1::2])):
        assert str(notes.parent) not in text
        assert "naming.md" in text or not text


def test_a_produced_report_fits_the_published_schema_and_quotes_to_the_letter(call: Call, notes: Path) -> None:
    report = json.loads(call("research", QUESTION, "--docs", notes, "--json", "-").out)

    jsonschema.validate(report, schema(), cls=jsonschema.Draft202012Validator)
    assert report["claims"] and report["evidence"]
    texts = {path.name: path.read_text(encoding="utf-8") for path in notes.iterdir()}
    uris = {source["id"]: source["uri"] for source in report["sources"]}
    for evidence in report["evidence"]:
        text = texts[uris[evidence["source_id"]]]
        assert text[evidence["start"] : evidence["end"]] == evidence["quote"]


def test_replay_and_resume_of_a_finished_run_give_the_same_bytes(call: Call, here: Path, notes: Path) -> None:
    call("research", QUESTION, "--docs", notes, "--out", "first.md", "--json", "first.json")
    run_id = json.loads((here / "first.json").read_text(encoding="utf-8"))["run_id"]
    for document in notes.iterdir():
        document.unlink()  # neither needs the documents

    assert call("replay", run_id[:9], "--out", "second.md", "--json", "second.json").code == 0
    assert call("resume", run_id, "--out", "third.md", "--json", "third.json").code == 0

    for suffix in ("md", "json"):
        first, second, third = ((here / f"{name}.{suffix}").read_bytes() for name in ("first", "second", "third"))
        assert first == second == third


def test_a_limit_that_binds_gives_a_partial_report_that_says_why_and_how_to_go_on(call: Call, notes: Path) -> None:
    done = call("research", QUESTION, "--docs", notes, "--max-calls", "3", "--json", "-")

    report = json.loads(done.out)
    assert (done.code, report["partial"]) == (0, "max_calls")
    assert "partial" in report["markdown"].lower()
    assert f"fathom resume {report['run_id']} --max-calls …" in done.err

    whole = json.loads(call("resume", report["run_id"], "--max-calls", "100", "--json", "-").out)
    assert whole["partial"] is None and whole["claims"]


def test_the_sources_that_are_counted_are_those_that_the_report_cites(call: Call, notes: Path) -> None:
    for kind in ("module", "class", "lambda", "generator"):
        text = f"In a {kind} a name is looked up in the scope of the {kind}, and exceptions raised there are handled. "
        (notes / f"{kind}.md").write_text(f"# The {kind}\n\n{text}{f'What a {kind} holds is its own. ' * 8}\n")
    done = call("research", QUESTION, "--docs", notes, "--max-words", "100", "--json", "-")

    report = json.loads(done.out)
    cited = report["markdown"].count("\n- [S")
    assert 0 < cited < len(report["sources"]), "evidence was taken from more of them"
    assert f"words from {cited} source" in done.err and f"quoted word for word; {cited} source" in done.err


def test_nothing_relevant_is_said_with_zero_claims(call: Call, notes: Path) -> None:
    done = call("research", "Which tariff applies to imported bicycles in Peru?", "--docs", notes, "--json", "-")
    report = json.loads(done.out)
    assert (done.code, report["claims"]) == (0, [])
    assert phrases("en").nothing_found in report["markdown"]
    run_id = report["run_id"]
    assert "status    no answer found" in call("show", run_id).out and "completed" not in call("runs").out
    for told in (
        json.loads(call("show", run_id, "--format", "json").out),
        *json.loads(call("runs", "--format", "json").out),
    ):
        assert (told["status"], told["standing"]) == ("completed", "nothing found")
        assert told["outcome"] == {"state": "nothing", "remarks": [{"name": "nothing", "count": 0, "of": 0}]}


def test_docs_restrict_the_run_to_those_paths(call: Call, notes: Path) -> None:
    call("ingest", notes)
    report = json.loads(call("research", "What is a scope?", "--docs", notes / "exceptions.rst", "--json", "-").out)
    assert {Path(source["uri"]).name for source in report["sources"]} <= {"exceptions.rst"}
    assert report["coverage"]["total"] == 1


def test_a_plan_is_shown_and_no_run_is_made(call: Call, notes: Path) -> None:
    done = call("plan", QUESTION, "--docs", notes)
    assert done.code == 0 and "task_2" in done.out and "calls" in done.out
    subtasks = json.loads(call("plan", QUESTION, "--docs", notes, "--format", "json").out)
    assert [subtask["subtask_id"] for subtask in subtasks] == ["task_1", "task_2"]
    assert all(subtask["reason"] in done.out for subtask in subtasks) and "the question says “" in done.out
    assert json.loads(call("runs", "--format", "json").out) == []


def test_runs_are_listed_newest_first_shown_and_deleted(call: Call, notes: Path) -> None:
    for question in ("What is a scope?", "What is an exception?"):
        call("research", question, "--docs", notes)

    runs = json.loads(call("runs", "--format", "json").out)
    assert [run["query"] for run in runs] == ["What is an exception?", "What is a scope?"]
    newest = runs[0]["run_id"]
    assert call("runs").out.splitlines()[0].startswith(newest)

    shown = call("show", newest)
    assert "What is an exception?" in shown.out and "completed" in shown.out
    assert "task_1/r0/extract" in call("show", newest, "--state").out
    seen = json.loads(call("show", newest, "--state", "--format", "json").out)
    assert seen["run_id"] == newest and seen["subtasks"] and seen["events"] and seen["journal"]
    assert seen["graph"] is None, "without a model, nobody waits for LangGraph to draw it"

    assert call("delete", newest).code == 0
    assert [run["run_id"] for run in json.loads(call("runs", "--format", "json").out)] == [runs[1]["run_id"]]
    assert call("replay", newest).code == 2


def test_a_shell_completes_the_ids_of_runs(call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call("research", "What is a scope?", "--docs", notes)
    run_id = call("runs").out.split()[0]
    monkeypatch.setenv("_FATHOM_COMPLETE", "zsh_complete")
    monkeypatch.setenv("COMP_WORDS", "fathom show run_")
    monkeypatch.setenv("COMP_CWORD", "2")
    assert call().out.split("\n")[:3] == ["plain", run_id, "What is a scope?"]


def test_a_beginning_that_several_runs_share_is_refused(call: Call, notes: Path) -> None:
    for question in ("What is a scope?", "What is an exception?"):
        call("research", question, "--docs", notes)
    done = call("show", "run_")
    assert done.code == 2 and "Several runs begin with 'run_'" in done.complaints[0]


def test_the_knowledge_base_is_filled_listed_searched_and_emptied(
    call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = call("ingest", notes)
    assert "3 added" in done.err and done.out == ""
    assert "3 unchanged" in call("ingest", notes).err

    documents = json.loads(call("kb", "status", "--format", "json").out)
    assert {document["uri"] for document in documents} == {path.resolve().as_uri() for path in notes.iterdir()}
    hits = json.loads(call("kb", "search", "free variable scope", "--format", "json").out)
    assert hits[0]["title"] == "Names" and "free variable" in hits[0]["quote"]
    assert call("kb", "status", "--kb", "other", "--format", "json").out.strip() == "[]"
    call("ingest", notes / "naming.md", "--kb", "club")
    listed = json.loads(call("kb", "list", "--format", "json").out)
    assert [(each["name"], each["documents"]) for each in listed] == [("default", 3), ("club", 1)]
    assert [line.split()[:2] for line in call("kb", "list").out.splitlines()] == [["default", "3"], ["club", "1"]]
    call("research", "What is a free variable?", "--kb", "club")
    assert len(json.loads(call("runs", "--kb", "club", "--format", "json").out)) == 1
    assert json.loads(call("runs", "--kb", "default", "--format", "json").out) == []

    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert call("kb", "delete", "club").err.startswith("Delete the knowledge base 'club'")
    assert len(json.loads(call("kb", "list", "--format", "json").out)) == 2
    assert call("kb", "delete", "club", "--yes").err == "The knowledge base 'club' is deleted.\n"
    assert call("kb", "delete", "club", "--yes").complaints == ["fathom: There is no knowledge base 'club'."]
    [run] = json.loads(call("runs", "--kb", "club", "--format", "json").out)
    assert "(knowledge base 'club' deleted)" in call("runs", "--kb", "club").out
    assert "knowledge base 'club' deleted" in call("show", run["run_id"]).out
    assert call("replay", run["run_id"]).code == 0
    assert "'club' has been deleted" in call("ask", run["run_id"], "And what binds it?").complaints[0]
    assert (notes / "naming.md").exists()

    assert call("kb", "remove", notes / "naming.md").err == "1 document removed.\n"
    assert len(json.loads(call("kb", "status", "--format", "json").out)) == 2
    assert call("kb", "remove", notes / "naming.md").code == 2


def test_a_search_shows_the_sentence_that_matches_and_where_it_stands(call: Call, tmp_path: Path) -> None:
    (tmp_path / "bread.md").write_text(
        "# Bread\n\n## Rest\n\n" + "Flour is white. " * 30 + "A starter rests for a day.\n"
    )
    call("ingest", tmp_path / "bread.md")

    shown = call("kb", "search", "resting starter").out
    assert shown.startswith("Bread › Rest\n  … A starter rests for a day.\n") and "\x1b" not in shown


def test_a_knowledge_base_that_is_not_there_is_called_empty_and_is_not_made(call: Call, home: Path) -> None:
    for command in (("status",), ("search", "scope")):
        assert "'typo' is empty" in call("kb", *command, "--kb", "typo").err
        assert call("kb", *command, "--kb", "typo", "--format", "json").out.strip() == "[]"
    assert call("kb", "remove", "notes", "--kb", "typo").code == 2
    assert not (home / "knowledge").exists()


def test_doctor_says_what_is_there_and_what_is_missing(call: Call, home: Path, notes: Path) -> None:
    before = {check["name"]: check for check in json.loads(call("doctor", "--format", "json").out)}
    assert before["kb"]["status"] == "warning" and "fathom ingest" in before["kb"]["cure"]
    assert before["reasoner"]["found"].startswith("extractive")

    call("ingest", notes)
    done = call("doctor")
    assert done.code == 0 and "3 documents" in done.out

    (home / "knowledge" / "default.sqlite3").write_bytes(b"damaged" * 1000)
    done = call("doctor", "--format", "json")
    after = {check["name"]: check for check in json.loads(done.out)}
    assert done.code == 1
    assert after["kb default"]["status"] == "error" and after["kb default"]["cure"]


def test_doctor_says_what_it_had_no_time_to_look_through(
    call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    call("ingest", notes)
    monkeypatch.setattr("fathom.cli.doctor.LOOK_SECONDS", 0)
    monkeypatch.setattr("fathom.sqlite_file._STEPS", 1)
    checks = {check["name"]: check for check in json.loads(call("doctor", "--format", "json").out)}
    assert checks["kb default"]["status"] == "warning" and "fathom ingest --again" in checks["kb default"]["cure"]
    assert "not checked within 0 s: how it hangs together, its rows, its" in checks["kb default"]["found"]


def test_doctor_calls_no_file_damaged_that_cannot_be_opened(call: Call, home: Path) -> None:
    (home / "runs.sqlite3").mkdir(parents=True)
    done = call("doctor", "--format", "json")
    checks = {check["name"]: check for check in json.loads(done.out)}
    assert done.code == 1 and checks["runs"]["status"] == "error"
    assert "cannot be opened" in checks["runs"]["found"] and "damaged" not in checks["runs"]["found"]


def test_a_question_can_come_from_standard_input(call: Call, notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"What is a scope?\n")))
    report = json.loads(call("research", "-", "--docs", notes, "--json", "-").out)
    assert report["query"] == "What is a scope?"


def test_data_uploaded_to_a_knowledge_base_are_asked_by_their_name(call: Call, notes: Path, home: Path) -> None:
    call("ingest", notes, "--kb", "club")
    uploaded = home / "uploads" / "datasets" / "club" / "members.csv"
    uploaded.parent.mkdir(parents=True)
    uploaded.write_text("name,since\nAda,2019\nBo,2021\nCy,2023\n")
    question = "How many members are there?"

    asked = call("research", question, "--kb", "club", "--data", "members.csv", "--json", "-")

    read = {each["kind"]: each["title"] for each in json.loads(asked.out)["sources"]}
    assert asked.code == 0 and "members" in read["dataset"]
    assert "There is no file or folder members.csv." in call("research", question, "--data", "members.csv").err
