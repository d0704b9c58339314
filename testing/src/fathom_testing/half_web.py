"""Does Fathom find on the web what it finds in documents? `python -m fathom_testing.half_web FILE --corpora FOLDER`.

It asks each question of a set twice, with all pages of its corpus as documents, and with half of them served on this
machine as pages of the web, and prints both results, and the recall of facts by where they stand.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import shutil
import sys
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Literal

from fathom import wiring
from fathom.errors import FathomError
from fathom.evals.questions import EvalQuestion, ExpectedFact, load_questions
from fathom.evals.result import EvalResult, drawn, table
from fathom.evals.run import ask, checked_corpora, evaluate
from fathom.evals.score import Score
from fathom.reading.readers import suffixes
from fathom.settings import Settings, load_settings
from fathom_testing.little_web import LittleWeb

Place = Literal["documents", "web", "both"]
_TITLES: dict[Place, str] = {"documents": "in documents", "web": "on the web", "both": "in both"}


def is_on_web(page: str) -> bool:
    """Whether a page of a corpus belongs to the half that is served: decided by its path alone.

    >>> [is_on_web(page) for page in ("git-add.html", "git-clone.html", "git-commit.html")]
    [False, True, True]
    """
    return hashlib.sha256(page.encode()).digest()[0] % 2 == 1


def halves(corpus: Path) -> tuple[list[str], list[str]]:
    """The pages of a corpus that stay documents, and those that are served, relative to it."""
    files = (path.relative_to(corpus) for path in sorted(corpus.rglob("*")) if path.suffix.lower() in suffixes())
    pages = [path.as_posix() for path in files if not any(part.startswith(".") for part in path.parts)]
    return [page for page in pages if not is_on_web(page)], [page for page in pages if is_on_web(page)]


async def evaluate_half_web(
    file: Path,
    *,
    corpora: Path,
    settings: Settings,
    limit: int | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> EvalResult:
    """Ask every question of both halves of its corpus; the arguments are those of `evaluate`.

    The second half of each corpus is served on this machine, below a host of its own, with a search engine that ranks
    by BM25 and knows nothing else. Everything is kept in `corpora/.fathom/half-web` and begun anew each time, so that
    no page comes out of an archive.

    Raises:
        UsageError: the set is wrong, or a corpus is not there.
    """
    questions = load_questions(file)[:limit]
    home = corpora / ".fathom" / "half-web"
    shutil.rmtree(home, ignore_errors=True)
    scores = []
    with ExitStack() as stack:
        own: dict[str, Settings] = {}
        for name in checked_corpora(questions, corpora):
            progress(f"splitting {name}")
            local, served = halves(corpora / name)
            _link(corpora / name, local, into=home / name)
            web = stack.enter_context(LittleWeb(generated=False))
            web.serve((corpora / name).resolve(), host=host_of_corpus(name), names=served)
            web.rank(name, 1)  # builds the index, which would else take the time of the first question
            own[name] = on_web(settings.model_copy(update={"home": home, "kb": name}), web)
            await wiring.ingest([home / name], settings=own[name])
        for number, question in enumerate(questions, 1):
            progress(f"{number}/{len(questions)} {question.id}, half on the web")
            scores.append(await ask(question, home / question.corpus, settings=own[question.corpus]))
    return EvalResult(file=str(file), scores=tuple(scores))


def host_of_corpus(name: str) -> str:
    """The host that a corpus is served at."""
    return f"{name.lower().strip('.-_').replace('_', '-')}.localhost"


def on_web(settings: Settings, web: LittleWeb) -> Settings:
    """The settings with a web of this machine, and no other."""
    return settings.model_copy(
        update={
            "web": True,
            "no_web": False,
            "search": ("searxng",),
            "search_fallback": (),
            "searxng_base_url": web.search.base("searxng"),
            "search_rates": {"searxng": 1000.0},
            "page_reader": "direct",
            "page_delay": 0.0,
            "private_hosts": (f"*.localhost:{web.port}",),
        }
    )


def _link(corpus: Path, pages: Iterable[str], *, into: Path) -> None:
    """A folder with links to some pages of a corpus."""
    for page in pages:
        link = into / page
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to((corpus / page).resolve())


def place_of(fact: ExpectedFact) -> Place:
    """Where a fact can be cited from."""
    places = {is_on_web(page) for page in fact.pages}
    return "both" if len(places) == 2 else "web" if True in places else "documents"


def comparison(questions: Iterable[EvalQuestion], whole: EvalResult, half: EvalResult) -> str:
    """Recall of the facts with all pages as documents, and with half of them on the web, by where the facts stand."""
    places = {(question.id, fact.name): place_of(fact) for question in questions for fact in question.facts}

    def found(scores: Iterable[Score], place: Place) -> int:
        return sum(places[one.question, name] == place for one in scores for name in one.facts_found)

    rows = [["facts that stand", "facts", "all documents", "half on the web", "difference"]]
    sums = [0, 0, 0]
    for place, title in _TITLES.items():
        counts = [list(places.values()).count(place), found(whole.scores, place), found(half.scores, place)]
        sums = [sum(pair) for pair in zip(sums, counts, strict=True)]
        rows.append([title, *_cells(*counts)])
    return drawn([*rows, ["anywhere", *_cells(*sums)]], left=1)


def _cells(total: int, before: int, after: int) -> list[str]:
    if not total:
        return ["0", "–", "–", "–"]
    return [str(total), f"{before / total:.3f}", f"{after / total:.3f}", f"{(after - before) / total:+.3f}"]


async def _both(file: Path, corpora: Path, limit: int | None) -> str:
    settings = load_settings()
    whole = await evaluate(file, corpora=corpora, settings=settings, limit=limit, progress=_say)
    half = await evaluate_half_web(file, corpora=corpora, settings=settings, limit=limit, progress=_say)
    return "\n".join((table(whole), table(half), comparison(load_questions(file)[:limit], whole, half)))


def _say(line: str) -> None:
    print(line, file=sys.stderr)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--corpora", type=Path, default=Path("eval-corpora"), metavar="FOLDER")
    parser.add_argument("--limit", type=int, metavar="N")
    asked = parser.parse_args()
    try:
        print(asyncio.run(_both(asked.file, asked.corpora, asked.limit)), end="")
    except FathomError as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
