"""Finding what a knowledge base holds: full-text search, and what is known of the chunks found."""

from __future__ import annotations

import hashlib
import json
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

from fathom.errors import NotFound
from fathom.evidence import Block, Document, Passage, Query, Span
from fathom.knowledge.database import AGAIN
from fathom.knowledge.index import KINDS, Connection, left_out_of
from fathom.knowledge.schema import CHUNK, DOCUMENT
from fathom.knowledge.spelling import compounds_of, written
from fathom.sqlite_file import sound, unpacked
from fathom.text.analysis import compounds, pieces, query_terms
from fathom.text.common import telling
from fathom.text.compounding import parts_in
from fathom.text.language import detect

TITLE_WEIGHT, HEADINGS_WEIGHT, BODY_WEIGHT = 2.0, 2.0, 1.0
LEAST, MOST = 3, 6
"""How often a term of the query counts, against once for one of its context."""
WEIGHED = 60
"""Terms from which all of a query count the same: a long text says by itself what it is about."""
MOST_TERMS = 1_000
"""Terms that a search looks for: what FTS5 needs grows faster than their number, to 500 MB for 16,000 of them."""
FIRST, SHORT = 2, 2_500
"""How many of the documents that come first are handed over whole, and the longest one that is, in characters."""
_SCORED = 15_000
"""Chunks that a search scores when it can: to score one takes FTS5 twenty times as long as to find it."""

LOST = f"What is stored of {{}} is damaged: {AGAIN}, and without web.sqlite3 pages are read anew."
_NEXT_LINE = re.compile(r"[ \t|]*\n[ \t]*\S")


@dataclass(frozen=True)
class IndexHit:
    """A chunk that matches."""

    chunk_id: int
    document_id: int
    uri: str
    start: int
    digest: bytes
    score: float


def weighed(connection: Connection, terms: Sequence[str], *, text: str) -> tuple[dict[str, int], dict[str, str]]:
    """How often each term of a query counts: three times, and up to six the rarer it is in the language of `text`.

    A term that no chunk holds is taken as the documents write it (these are the second that is returned), and so are
    two words that they write as one. A piece of a word that they hold counts once, and a compound that begins or ends
    with a term half as often as the term.
    """
    most = "SELECT language FROM documents WHERE language != 'und' GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
    (likely,) = connection.execute(most).fetchone() or ("und",)
    language, words = detect(text, likely=likely), pieces(text)
    absent = [term for term in terms[:WEIGHED] if not _is_held(connection, term)]
    spellings = {term: other for term in absent if (other := written(connection, term, language=language))}
    more = (MOST - LEAST) * (len(terms) <= WEIGHED)

    def count(term: str) -> int:
        is_piece = term in words and _is_held(connection, words[term])
        return 1 if is_piece else LEAST + round(more * telling(term, language=language))

    joined = [term for term in compounds(text)[:WEIGHED] if _is_held(connection, term)]
    found = {spellings.get(term, term): count(term) for term in (*terms, *joined)}
    parts = {part: compounds_of(connection, part) for part in parts_in(found, language=language)[:WEIGHED]}
    return {word: found[part] // 2 for part, words in parts.items() for word in words} | found, spellings


def looked_for(connection: Connection, query: Query) -> tuple[dict[str, int], list[str]]:
    """The terms of a query, as `weighed` counts them, and those of its context."""
    main, _ = weighed(connection, query_terms(query.text), text=query.text)
    return main, [term for term in query_terms(query.context) if term not in main]


def _is_held(connection: Connection, term: str) -> bool:
    found = connection.execute("SELECT 1 FROM chunk_index WHERE chunk_index MATCH ? LIMIT 1", (_quoted(term),))
    return found.fetchone() is not None


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


_SEARCH = f"""
SELECT chunks.id, chunks.document_id, documents.uri, chunks.start, chunks.digest, -found.score
FROM (
    SELECT rowid AS id, bm25(chunk_index, {TITLE_WEIGHT}, {HEADINGS_WEIGHT}, {BODY_WEIGHT}) AS score
    FROM chunk_index WHERE chunk_index MATCH ? ORDER BY score LIMIT ?
) AS found
CROSS JOIN chunks ON chunks.id = found.id
CROSS JOIN documents ON documents.id = chunks.document_id
"""
_SEARCH_WITHIN = f"""
SELECT chunks.id, chunks.document_id, documents.uri, chunks.start, chunks.digest,
    -bm25(chunk_index, {TITLE_WEIGHT}, {HEADINGS_WEIGHT}, {BODY_WEIGHT}) AS score
FROM chunk_index
CROSS JOIN chunks ON chunks.id = chunk_index.rowid
CROSS JOIN documents ON documents.id = chunks.document_id
WHERE chunk_index MATCH ? AND chunks.document_id IN (SELECT value FROM json_each(?))
ORDER BY score DESC LIMIT ?
"""


def lexical(
    connection: Connection,
    main: Mapping[str, int],
    context: Sequence[str] = (),
    *,
    limit: int,
    within: Sequence[int] | None,
) -> list[IndexHit]:
    """At most `limit` chunks that match, best first.

    A term of `main` counts as often as it says (`weighed`), one of `context` once. A chunk that only holds terms of
    `context` does not match, unless there are no others. Of very many terms the first are looked for.

    Chunks that hold a rare term of `main`, and if these are few the rarest of the common ones with another, are scored,
    by all terms. The rest come below them, and are looked for when there are not as many as are wanted.
    """
    main = dict(islice(main.items(), MOST_TERMS))
    context = context[: MOST_TERMS - len(main)]
    if limit < 1 or not (main or context):
        return []
    rare, first, others = _by_rarity(connection, list(main), enough=10 * limit)
    hits = _matching(connection, match_expression(main, rare, first, others, context), limit=limit, within=within)
    if len(hits) < limit and others:
        hits = _matching(connection, match_expression(main, list(main), (), (), context), limit=limit, within=within)
    return hits


def _by_rarity(
    connection: Connection, terms: Sequence[str], *, enough: int
) -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """The rare terms, the first of the common ones unless too many chunks hold it with another, and the others.

    Rare are those that `_SCORED` chunks hold together, or more if these are not `enough`.
    """
    holding = {term: _count(connection, _quoted(term)) for term in terms}
    ordered = sorted(terms, key=holding.__getitem__)
    sums = list(accumulate(holding[term] for term in ordered))
    split = max(bisect_right(sums, _SCORED), bisect_left(sums, enough) + 1)
    rarest = frozenset(ordered[:split])
    rare = [term for term in terms if term in rarest]
    first, others = ordered[split : split + 1], ordered[split + 1 :]
    if others and _count(connection, f"{_quoted(first[0])} AND ({_any(others)})") <= _SCORED:
        return rare, first, others
    return rare, (), first + others


def _count(connection: Connection, expression: str) -> int:
    """How many chunks match, if no more than are scored."""
    counted = "SELECT count(*) FROM (SELECT 1 FROM chunk_index WHERE chunk_index MATCH ? LIMIT ?)"
    return int(connection.execute(counted, (expression, _SCORED + 1)).fetchone()[0])


def match_expression(
    main: Mapping[str, int], rare: Sequence[str], first: Sequence[str], others: Sequence[str], context: Sequence[str]
) -> str:
    """An FTS5 expression for what holds a rare term, or the first of the common ones with another of them.

    FTS5 has no weights for terms, but it adds the score of a term as often as the term is repeated.
    """
    if not rare:
        return _any(context)
    found = (*rare, *first)
    paired = (*rare, *others) if first else rare
    already = Counter((*found, *paired))
    counted = (term for term in (*found, *others) for _ in range(main[term] - already[term]))
    return f"({_any(found)}) AND ({_any(paired)}) AND ({_any((*counted, *context))})"


def _any(terms: Iterable[str]) -> str:
    return " OR ".join(map(_quoted, terms))


def _matching(connection: Connection, expression: str, *, limit: int, within: Sequence[int] | None) -> list[IndexHit]:
    if within is None:
        rows = connection.execute(_SEARCH, (expression, limit))
    else:
        rows = connection.execute(_SEARCH_WITHIN, (expression, _json(within), limit))
    return sorted((IndexHit(*row) for row in rows), key=order)


def order(hit: IndexHit) -> tuple[float, str, int]:
    """Best first; ties by address and place, so that the order is always the same."""
    return (-round(hit.score, 9), hit.uri, hit.start)


def distinct(hits: Iterable[IndexHit]) -> list[IndexHit]:
    """The first of each text."""
    found: dict[bytes, IndexHit] = {}
    for hit in hits:
        found.setdefault(hit.digest, hit)
    return list(found.values())


def all_of(connection: Connection, within: Sequence[int] | None, *, most: int) -> list[IndexHit]:
    """Every chunk in reach, by address and place; none if there are more than `most`."""
    reach, arguments = _reach(within)
    rows = connection.execute(
        "SELECT chunks.id, document_id, uri, start, digest, 0.0 FROM chunks "
        f"JOIN documents ON documents.id = document_id {reach.format('document_id')} LIMIT ?",
        (*arguments, most + 1),
    ).fetchall()
    return sorted((IndexHit(*row) for row in rows), key=order) if len(rows) <= most else []


def foreign(
    connection: Connection, language: str, within: Sequence[int] | None, *, most: int
) -> list[tuple[IndexHit, str]]:
    """Every chunk in reach of a document in another language, with its title and headings; none if there are more."""
    reach, arguments = _reach(within)
    rows = connection.execute(
        "SELECT chunks.id, document_id, uri, start, digest, 0.0, title, headings FROM chunks "
        f"JOIN documents ON documents.id = document_id AND language NOT IN (?, 'und') {reach.format('document_id')} "
        "LIMIT ?",
        (language, *arguments, most + 1),
    ).fetchall()
    if len(rows) > most:
        return []
    return [(IndexHit(*hit), ". ".join(dict.fromkeys((title, *json.loads(path))))) for *hit, title, path in rows]


def rest_of_short(connection: Connection, hits: Sequence[IndexHit]) -> list[IndexHit]:
    """What is left of the short documents that come first: who finds a passage of a note mostly wants the note."""
    found: list[IndexHit] = []
    for document_id, uri in list(dict.fromkeys((hit.document_id, hit.uri) for hit in hits))[:FIRST]:
        rows = connection.execute(
            "SELECT chunks.id, start, digest FROM chunks JOIN documents ON documents.id = document_id "
            "WHERE document_id = ? AND characters <= ? ORDER BY start",
            (document_id, SHORT),
        )
        found += [IndexHit(id, document_id, uri, start, digest, 0.0) for id, start, digest in rows]
    known = {hit.digest for hit in hits}
    return [hit for hit in distinct(found) if hit.digest not in known]


def passage(hit: IndexHit, row: Sequence[Any], text: str, sha256: str) -> Passage:
    """The passage of a chunk, of which `row` is end, headings and blocks."""
    end, headings, packed = row
    blocks = _unpacked(packed)
    outside = {
        block.lead_in
        for block in blocks
        if block.lead_in and not (hit.start <= block.lead_in.start and block.lead_in.end <= end)
    }
    return Passage(
        document=sha256,
        start=hit.start,
        end=end,
        text=text[hit.start : end],
        headings=tuple(json.loads(headings)),
        blocks=blocks,
        lead_ins={
            f"{span.start}-{span.end}": text[span.start : span.end] for span in sorted(outside, key=lambda s: s.start)
        },
        goes_on=bool(blocks and blocks[-1].kind in ("list_item", "table_row") and _NEXT_LINE.match(text, end)),
        score=round(hit.score, 6),
    )


def summary(connection: Connection, within: Sequence[int] | None) -> tuple[int, int, dict[str, int], str]:
    """Documents, passages and documents per language in reach, and a digest of all content.

    The digest covers what is out of reach too, for it takes part in how common a term is.
    """
    digest = hashlib.sha256()
    for row in connection.execute("SELECT path, sha256 FROM documents ORDER BY path"):
        digest.update(repr(row).encode("utf-8", "surrogatepass"))
    reach, arguments = _reach(within)
    languages = dict(
        connection.execute(
            f"SELECT language, count(*) FROM documents {reach.format('id')} GROUP BY language ORDER BY language",
            arguments,
        )
    )
    passages = connection.execute(f"SELECT count(*) FROM chunks {reach.format('document_id')}", arguments).fetchone()[0]
    return sum(languages.values()), passages, languages, digest.hexdigest()


def passages_with(connection: Connection, term: str, within: Sequence[int] | None) -> int:
    """How many chunks in reach hold a term."""
    reach, arguments = "", [_quoted(term)]
    if within is not None:
        reach = "AND (SELECT document_id FROM chunks WHERE id = chunk_index.rowid) IN (SELECT value FROM json_each(?))"
        arguments.append(_json(within))
    row = connection.execute(f"SELECT count(*) FROM chunk_index WHERE chunk_index MATCH ? {reach}", arguments)
    return int(row.fetchone()[0])


def titles_and_headings(connection: Connection, hits: Sequence[IndexHit]) -> tuple[list[str], list[str]]:
    """Titles of the documents and headings of the chunks that match, best first, each once."""
    titles: dict[str, None] = {}
    headings: dict[str, None] = {}
    for hit in hits:
        title, path = connection.execute(
            "SELECT title, headings FROM chunks JOIN documents ON documents.id = document_id WHERE chunks.id = ?",
            (hit.chunk_id,),
        ).fetchone()
        titles[title] = None
        headings.update(dict.fromkeys(reversed(json.loads(path))))
    return list(titles), list(headings)


def terms_of(connection: Connection, hit: IndexHit) -> set[str]:
    """The terms of a chunk, of its headings and of its document's title."""
    row = connection.execute("SELECT title, headings, body FROM chunk_terms WHERE id = ?", (hit.chunk_id,)).fetchone()
    return set(" ".join(row).split())


def hit_rows(connection: Connection, hit: IndexHit) -> tuple[Document, Sequence[Any]]:
    """The document of a chunk, and the chunk's end, headings and blocks.

    Raises:
        Damaged: they are not as they were stored.
    """
    row = connection.execute(
        f"SELECT documents.mark = checksum({DOCUMENT}) AND chunks.mark = checksum({CHUNK}), sha256, uri, "
        "documents.title, markup, language, retrieved_at, dated, authors, path, end, chunks.headings, blocks "
        "FROM chunks JOIN documents ON documents.id = document_id WHERE chunks.id = ?",
        (hit.chunk_id,),
    ).fetchone()
    row = sound(row, LOST.format(hit.uri))
    names = ("sha256", "uri", "title", "markup", "language", "retrieved_at", "published")
    told = dict(zip(names, row[:7], strict=True))
    left_out = left_out_of(connection, row[8])
    return Document(kind="file", authors=tuple(json.loads(row[7])), left_out=left_out, **told), row[9:]


def text_of(connection: Connection, sha256: str) -> str:
    """The snapshot of that digest.

    Raises:
        NotFound: no document has it any more.
        Damaged: it is not as it was stored.
    """
    row = connection.execute("SELECT text, path FROM documents WHERE sha256 = ? LIMIT 1", (sha256,)).fetchone()
    if row is None:
        raise NotFound(f"No document {sha256[:12]}… is there any more: it has changed since, or was removed.")
    return unpacked(row[0], digest=sha256, lost=LOST.format(row[1]))


def _reach(within: Sequence[int] | None) -> tuple[str, tuple[str, ...]]:
    """What keeps a statement to these documents, the name of their column still to be put in, with its arguments."""
    return ("", ()) if within is None else ("WHERE {} IN (SELECT value FROM json_each(?))", (_json(within),))


def _json(ids: Sequence[int]) -> str:
    return json.dumps(list(ids))


def _unpacked(packed: str) -> tuple[Block, ...]:
    return tuple(
        Block(
            kind=KINDS[kind],
            start=start,
            end=end,
            level=level,
            lead_in=Span(start=lead_in[0], end=lead_in[1]) if lead_in else None,
        )
        for kind, start, end, level, *lead_in in json.loads(packed)
    )
