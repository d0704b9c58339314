"""`fathom check`: sentences judged by the texts that they are said to rest on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

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
