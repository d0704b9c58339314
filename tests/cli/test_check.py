"""`fathom check`: the sentences of a text, or one by one, judged by what they are said to rest on."""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from fathom_testing.model_server import ModelServer
from tests.cli.conftest import Call

LIMIT = "By default the limit is 64 pages."


def pair(id: str, claim: str, *evidence: str) -> dict[str, Any]:
    return {"id": id, "claim": claim, "evidence": list(evidence)}


def written(path: Path, *rows: Any) -> Path:
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    return path


def test_each_pair_gets_a_line_with_its_verdict_and_the_last_line_counts_them(call: Call, tmp_path: Path) -> None:
    pairs = written(
        tmp_path / "pairs.jsonl",
        pair("a", "The limit is 64 pages.", LIMIT),
        pair("b", "64 pages are the default limit.", LIMIT),
        pair("c", "制限は64ページである。", LIMIT),
    )
    done = call("check", "--pairs", pairs)
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [(row["id"], row["status"], row["by"]) for row in rows] == [
        ("a", "quoted", "rule"),
        ("b", "supported", "rule"),
        ("c", "unjudged", "rule"),
    ]
    assert rows[0]["score"] == 1 and rows[2]["why"] == "it is in another language than the source"
    assert done.code == 0 and done.err.splitlines()[-1] == "3 sentences: 1 quoted, 1 supported, 1 unjudged."
    strictly = call("check", "--strict", "--pairs", pairs)
    assert (strictly.code, strictly.out) == (1, done.out)


def test_a_sentence_that_should_not_stand_fails_the_command(call: Call, tmp_path: Path) -> None:
    pairs = written(
        tmp_path / "pairs.jsonl",
        pair("a", "The limit is 65 pages.", LIMIT),
        pair("b", "The limit is not 64 pages.", LIMIT),
        pair("c", "The limit is 64 pages."),
    )
    done = call("check", "--pairs", pairs)
    assert done.code == 1
    assert [json.loads(line)["status"] for line in done.out.splitlines()] == [
        "unsupported",
        "contradicted",
        "unsupported",
    ]


@pytest.mark.parametrize(
    "line",
    [b"no JSON", b"[1]", b'{"id": 1, "claim": "x"}', b'{"id": 1, "claim": 2, "evidence": []}', b"\xff\xfe\x00",
     b'{"id": 1, "claim": "x", "evidence": "y"}', b"[" * 50_000],
    ids=["text", "list", "no evidence", "no claim", "binary", "no list", "deep"],
)  # fmt: skip
def test_a_line_that_is_no_pair_is_named(call: Call, tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_bytes(json.dumps(pair("a", LIMIT, LIMIT)).encode() + b"\n" + line)
    done = call("check", "--pairs", path)
    (told,) = done.err.splitlines()
    assert done.code == 2 and "Line 2 of pairs.jsonl is no pair" in told


def test_a_file_without_a_pair_and_none_at_all_get_one_line(call: Call, tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n")
    assert "empty.jsonl holds no pair" in call("check", "--pairs", empty).err
    assert "does not exist" in call("check", "--pairs", tmp_path / "none.jsonl").err


DRAFT = """# Names

A name refers to an object.[^1] Assignment binds 17 names at once. Zebras live in Zambia.

Who binds them?
"""


def test_a_text_of_anybody_is_held_against_documents(call: Call, notes: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text(DRAFT, encoding="utf-8")
    done = call("check", draft, "--docs", notes)
    told = [line.split(maxsplit=1) for line in done.out.splitlines() if not line.startswith(" ")]
    assert told == [
        ["quoted", "A name refers to an object."],
        ["unsupported", "Assignment binds 17 names at once."],
        ["unsupported", "Zebras live in Zambia."],
    ]
    assert "17 is not in the source" in done.out and "Names › Binding: " in done.out
    assert (done.code, done.err.splitlines()[-1]) == (1, "3 sentences: 1 quoted, 2 unsupported.")
    verdicts = json.loads(call("check", draft, "--json", "-").out)  # what was read is kept
    assert verdicts["verdicts"]["unsupported"] == 2
    first = verdicts["sentences"][0]
    assert first["against"]["title"] == "Names" and "A name refers to an object." in first["against"]["quote"]
    file, page = tmp_path / "verdicts.json", tmp_path / "checked.html"
    call("check", draft, "--docs", notes, "--json", file, "--html", page)
    assert json.loads(file.read_text()) == verdicts
    html = page.read_text(encoding="utf-8")
    assert html.count('class="claim"') == 3 and "17 is not in the source" in html
    assert "<h1>draft.md</h1>" in html and str(notes) not in html


def test_a_good_text_passes_and_strictly_only_when_all_of_it_is_judged(call: Call, notes: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text("A name refers to an object. Names are made to point elsewhere.", encoding="utf-8")
    assert call("check", draft, "--docs", notes).code == 0
    assert call("check", draft, "--docs", notes, "--strict").code == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "Name the text to check, or --pairs."),
        (["draft.md", "--pairs", "draft.md"], "--pairs brings its own texts"),
        (["--pairs", "draft.md", "--max-calls", "2"], "--pairs brings its own texts"),
        (["draft.md", "--docs", "../notes", "--html", "-"], "--html needs a file"),
        (["draft.md", "--docs", "../notes", "--html", "x.html", "--json", "x.html"], "name the same file"),
        (["draft.md", "--docs", "../notes", "--model", "nobody:x"], "nobody"),
        (["none.md"], "'none.md' does not exist"),
        (["draft.md"], "nothing to check it against: give --docs PATH, or fill the knowledge base 'default'"),
        (["draft.md", "--docs", "nowhere"], "nowhere"),
        (["draft.xyz", "--docs", "../notes"], ".xyz"),
        (["empty.md", "--docs", "../notes"], "empty.md holds no sentence that claims something"),
        (["binary.md", "--docs", "../notes"], "binary.md cannot be read: it is a binary file."),
        (["draft.md", "--docs", "../notes", "--json", "no/folder.json"], "there is no folder"),
    ],
)
def test_what_cannot_be_checked_gets_one_line(
    call: Call, notes: Path, here: Path, arguments: list[str], told: str
) -> None:
    assert notes.is_dir()
    for name, content in {"draft.md": b"A.", "draft.xyz": b"A.", "empty.md": b"# A", "binary.md": b"\0"}.items():
        (here / name).write_bytes(content)
    done = call("check", *arguments)
    (line,) = done.err.splitlines()
    assert done.code == 2 and told in line


def test_a_model_judges_all_but_quotations(call: Call, notes: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text("A name refers to an object. Names are made to point elsewhere.", encoding="utf-8")
    with ModelServer() as server:
        asked = "--model", "openai:fathom-test", "--base-url", f"{server.url}/v1"
        done = call("check", draft, "--docs", notes, "--json", "-", *asked)
        assert len(server.calls) == 1
    verdicts = json.loads(done.out)
    assert [(each["status"], each["by"]) for each in verdicts["sentences"]] == [
        ("quoted", "rule"),
        ("supported", "model"),
    ]
    assert sum(verdicts["usage"]["calls"].values()) == 1 and verdicts["notes"] == []
    assert done.err.splitlines()[0].startswith("Models: 1 call, ")
    assert (done.code, done.err.splitlines()[-1]) == (0, "2 sentences: 1 quoted, 1 supported.")


@pytest.mark.parametrize(
    ("limits", "told"), [((), "cannot be reached"), (("--max-tokens", "10"), "max_tokens is spent")]
)
def test_without_an_answer_of_the_model_the_rules_stand_and_it_is_said_why(
    call: Call, notes: Path, tmp_path: Path, limits: tuple[str, ...], told: str
) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text("Names are made to point elsewhere.", encoding="utf-8")
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))  # Taken, so that no other server gets it meanwhile, and listened to by nobody.
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}/v1"
        done = call("check", draft, "--docs", notes, "--model", "openai:x", "--base-url", url, *limits)
    assert done.out.startswith("unjudged") and done.err.splitlines()[-1] == "1 sentence: 1 unjudged."
    (note,) = [line for line in done.err.splitlines() if line.startswith("Not judged by a model: ")]
    assert told in note


def test_what_a_check_has_paid_for_is_not_paid_for_again(call: Call, notes: Path, tmp_path: Path) -> None:
    draft = tmp_path / "draft.txt"
    draft.write_text(" ".join(f"Names are made to point to place {n}." for n in range(150)), encoding="utf-8")
    with ModelServer(window=4_096) as server:
        asked = "--docs", notes, "--model", "openai:fathom-test", "--base-url", f"{server.url}/v1"
        part = call("check", draft, *asked, "--max-calls", "2", "--json", "-")
        before = len(server.calls)
        whole = call("check", draft, *asked, "--json", "-")
        rest = len(server.calls) - before
        again = call("check", draft, *asked, "--json", "-")
        assert len(server.calls) == before + rest
        unkept = call("check", draft, *asked, "--no-cache", "--json", "-")
        everything = len(server.calls) - before - rest

    assert 0 < before < everything == before + rest
    (note,) = json.loads(part.out)["notes"]
    assert "were not read" in note
    assert (
        json.loads(again.out)["sentences"] == json.loads(whole.out)["sentences"] == json.loads(unkept.out)["sentences"]
    )
    assert json.loads(again.out)["usage"]["cached_calls"] == everything
