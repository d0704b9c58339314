"""`fathom ask`: a question that follows a run."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import QUESTION, Call


def test_a_follow_up_is_told_as_it_is_understood_and_listed_with_what_it_follows(call: Call, notes: Path) -> None:
    assert call("research", QUESTION, "--docs", notes, "--quiet").code == 0
    first = json.loads(call("runs", "--format", "json").out)[0]["run_id"]

    done = call("ask", first[:-1], "And how is a free variable looked up?", "--max-words", "200")

    assert done.code == 0, done.err
    assert done.out.startswith("# How is a free variable looked up?")
    assert "A free variable is looked up in the nearest enclosing scope." in done.out
    assert f"follows up on {first}: And how is a free variable looked up?" in done.err
    second = json.loads(call("runs", "--format", "json").out)[0]
    assert (second["follows"], second["thread"], second["limits"]["max_words"]) == (first, first, 200)
    assert f"And how is a free variable looked up? (follows {first})" in call("runs").out
    assert f"follows   {first}\n" in call("show", second["run_id"]).out
    assert " recall " in call("show", second["run_id"], "--calls").out
    assert call("replay", second["run_id"]).out == done.out
    assert call("ask", second["run_id"], "--about", "c1", "--quiet").code == 0
    assert f"(follows {second['run_id']} on C1)" in call("runs").out


def test_what_cannot_be_followed_is_one_line_and_a_usage_error(call: Call, notes: Path) -> None:
    assert call("research", QUESTION, "--docs", notes, "--quiet").code == 0
    run = json.loads(call("runs", "--format", "json").out)[0]["run_id"]

    for arguments, said in (
        (("run_none", "Why?"), "No run is named 'run_none'"),
        ((run,), "The question is empty. Ask something, or name a sentence with --about."),
        ((run, " "), "The question is empty"),
        ((run, "Why?", "--about", "C99"), "has no claim 'C99'"),
        ((run, "Why?", "--max-words", "1"), "max-words"),
    ):
        done = call("ask", *arguments)
        assert (done.code, done.out) == (2, ""), done.err
        assert said in done.complaints[-1]
        assert len(done.complaints) == 1
