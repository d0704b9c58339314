"""Half of a corpus on the web: how it is split, served and scored."""

from __future__ import annotations

import http.client
import os
import subprocess
import sys
from pathlib import Path

from fathom.evals.questions import EvalQuestion, ExpectedFact
from fathom.evals.result import EvalResult
from fathom.evals.score import Score, is_page
from fathom.settings import Settings
from fathom.urls import canonical_url
from fathom_testing.half_web import comparison, evaluate_half_web, halves, host_of_corpus, is_on_web, place_of
from fathom_testing.little_web import LittleWeb

LOCAL, SERVED = "page-0.html", "page-4.html"


def fact(name: str, *pages: str) -> ExpectedFact:
    return ExpectedFact(name=name, pattern=name, pages=pages)


def test_a_page_is_on_the_web_or_a_document_by_its_path_alone(tmp_path: Path) -> None:
    for number in range(200):
        (tmp_path / f"page-{number}.html").write_text("x", encoding="utf-8")
    (tmp_path / ".hidden.html").write_text("x", encoding="utf-8")
    (tmp_path / "data.bin").write_bytes(b"x")

    local, served = halves(tmp_path)

    assert not set(local) & set(served)
    assert len(local) + len(served) == 200
    assert 80 < len(local) < 120
    assert all(map(is_on_web, served))


def test_the_address_of_a_served_page_is_scored_as_the_page_of_the_corpus(tmp_path: Path) -> None:
    name = "howto/a b (1).html"
    (tmp_path / "howto").mkdir()
    (tmp_path / name).write_text("<title>Kiln</title><p>The kiln is fired twice.</p>", encoding="utf-8")
    host = host_of_corpus("Python3.11_doc")
    with LittleWeb(generated=False) as web:
        web.serve(tmp_path, host=host, names=[name])
        (hit,) = web.rank("kiln", 5)
        connection = http.client.HTTPConnection("127.0.0.1", web.port, timeout=60)
        connection.request("GET", "/howto/a%20b%20(1).html", headers={"Host": f"{host}:{web.port}"})
        status = connection.getresponse().status
        connection.close()

    assert host == "python3.11-doc.localhost"
    assert status == 200
    assert is_page(canonical_url(hit.url), name)


def test_a_fact_stands_on_the_web_in_documents_or_in_both() -> None:
    assert (is_on_web(LOCAL), is_on_web(SERVED)) == (False, True)
    assert place_of(fact("a", LOCAL)) == "documents"
    assert place_of(fact("a", SERVED)) == "web"
    assert place_of(fact("a", LOCAL, SERVED)) == "both"


def test_the_comparison_tells_where_facts_are_lost() -> None:
    question = EvalQuestion(
        id="q",
        corpus="c",
        query="?",
        pages=(LOCAL,),
        facts=(fact("one", LOCAL), fact("two", SERVED), fact("three", SERVED)),
    )
    told = {"question": "q", "corpus": "c", "language": "en", "answerable": True}
    whole = EvalResult(file="f", scores=(Score(**told, facts_found=("one", "two", "three")),))
    half = EvalResult(file="f", scores=(Score(**told, facts_found=("one", "three"), facts_missed=("two",)),))

    lines = comparison([question], whole, half).splitlines()

    assert [line.split()[-4:] for line in lines[1:]] == [
        ["1", "1.000", "1.000", "+0.000"],
        ["2", "1.000", "0.500", "-0.500"],
        ["0", "–", "–", "–"],
        ["3", "1.000", "0.667", "-0.333"],
    ]


SET = """
[[question]]
id = "kiln-1"
corpus = "pottery"
query = "How is the kiln fired, and how long does the glaze firing take?"
pages = ["page-4.html"]
[[question.facts]]
name = "duration"
pattern = 'glaze firing takes 14 hours'
pages = ["page-4.html"]
"""
KILN = """<!DOCTYPE html><html><head><title>The kiln</title></head><body><h1>The kiln</h1>
<p>The kiln is fired twice: a bisque firing hardens the clay, and a glaze firing melts the glaze. The bisque firing
takes 9 hours at 1000 degrees. The glaze firing takes 14 hours at 1240 degrees.</p>
<p>If the kiln is opened above 100 degrees, the glaze cracks, and the work of a whole week is lost.</p></body></html>"""
CLAY = """<!DOCTYPE html><html><head><title>Clay</title></head><body><h1>Clay</h1>
<p>Clay is kneaded before it is thrown, so that no air remains in it. It dries for a week
on a shelf.</p></body></html>"""


async def test_what_stands_on_the_served_half_is_found_and_cited_from_there(tmp_path: Path) -> None:
    corpus = tmp_path / "corpora" / "pottery"
    corpus.mkdir(parents=True)
    (corpus / SERVED).write_text(KILN, encoding="utf-8")
    (corpus / LOCAL).write_text(CLAY, encoding="utf-8")
    file = tmp_path / "set.toml"
    file.write_text(SET, encoding="utf-8")

    result = await evaluate_half_web(file, corpora=corpus.parent, settings=Settings(home=tmp_path / "own"))

    (one,) = result.scores
    assert one.error is None
    assert (one.facts_found, one.pages_found) == (("duration",), (SERVED,))
    assert one.verbatim
    assert not (corpus.parent / ".fathom" / "half-web" / "pottery" / SERVED).exists(), "what is served is no document"
    assert not (tmp_path / "own").exists(), "the user's own documents and runs are left alone"


def test_its_command_prints_both_results_and_where_facts_are_lost(tmp_path: Path) -> None:
    corpus = tmp_path / "corpora" / "pottery"
    corpus.mkdir(parents=True)
    (corpus / SERVED).write_text(KILN, encoding="utf-8")
    (corpus / LOCAL).write_text(CLAY, encoding="utf-8")
    file = tmp_path / "set.toml"
    file.write_text(SET, encoding="utf-8")
    command = [sys.executable, "-m", "fathom_testing.half_web", str(file), "--corpora", str(corpus.parent)]
    home = {**os.environ, "FATHOM_HOME": str(tmp_path / "home")}

    done = subprocess.run(command, capture_output=True, text=True, env=home, check=True)
    again = subprocess.run([*command[:3], str(tmp_path / "none.toml")], capture_output=True, text=True, env=home)

    (told,) = [line.split() for line in done.stdout.splitlines() if line.startswith("on the web")]
    assert told[-4:] == ["1", "1.000", "1.000", "+0.000"]
    assert again.returncode == 1 and len(again.stderr.splitlines()) == 1
