"""A text held against the documents of the service, over the API."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.serving import Served, home_with_notes, served

TEXT = "# Engines\n\nBabbage designed 12,345 engines. Nobody has ever written of zeppelins in Patagonia.\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with served(home_with_notes(tmp_path_factory.mktemp("checking"))) as running:
        yield running


def test_each_sentence_is_told_with_what_the_documents_say_to_it(server: Served) -> None:
    found = server.client.get("/api/knowledge/default/search", params={"q": "Babbage"}).json()["passages"]
    quoted = next(line for line in found[0]["text"].splitlines() if "Babbage" in line)
    reply = server.client.post("/api/check", json={"text": f"{quoted}\n\n{TEXT}"})
    assert reply.status_code == 200, reply.text
    told = reply.json()
    assert told["sentences"][0]["status"] == "quoted"
    assert told["sentences"][0]["against"]["title"]
    wrong = next(each for each in told["sentences"] if "12,345" in each["text"])
    assert wrong["status"] == "unsupported" and "12345" in wrong["why"]
    assert sum(told["verdicts"].values()) == len(told["sentences"])
    assert "file://" not in reply.text and str(server.settings.home) not in reply.text


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        ({"text": ""}, 422, ""),
        ({"text": "# Only a heading\n\n```\ncode\n```\n"}, 422, "no sentence that claims something"),
        ({"text": TEXT, "kb": "nowhere"}, 422, "nowhere"),
        ({"text": TEXT, "documents": ["doc_000000000000"]}, 422, "doc_000000000000"),
        ({"text": TEXT, "reasoner": "language_model"}, 422, "no model"),
        ({"text": TEXT, "limits": {"max_calls": 0}}, 422, ""),
        ({"text": "a" * 400_001}, 422, ""),
    ],
)
def test_what_cannot_be_checked_is_refused_in_a_line(
    server: Served, body: dict[str, object], status: int, said: str
) -> None:
    reply = server.client.post("/api/check", json=body)
    assert reply.status_code == status, reply.text
    assert said in reply.json()["detail"]
