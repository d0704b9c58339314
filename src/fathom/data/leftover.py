"""What a sentence on counts says besides the counts: names that they do not hold, reasons that no count gives."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fathom.data.clauses import Clauses, without_marks
from fathom.data.cues import NO_NEGATION, REASON
from fathom.data.deriving import CitedTable
from fathom.data.marks import Masked
from fathom.data.naming import counts, folded, is_ordinary
from fathom.data.results import Aggregation
from fathom.text.analysis import identifiers, stem
from fathom.text.characters import count_cjk
from fathom.verification.doubts import negates

MOST_WORDS = 3
"""Words that say nothing of counts which a sentence may have and still be judged by its figures alone."""
_COUNTING_JA = frozenset(
    "グループ データ データセット レコード ピーク イベント テーマ カテゴリ カテゴリー トップ パーセント ポイント シェア"
    " ケース フィールド トレンド ランク ランキング カ月 ヶ月 カ ヶ".split()
)


def unknown_names(marked: Masked, tables: Sequence[CitedTable], spans: Sequence[str]) -> list[str]:
    """The names of a sentence that no row, span, filter or field holds."""
    source = _source(tables, spans)
    found = []
    for name in identifiers(marked.rest):
        plain = folded(name).casefold()
        if is_ordinary(plain) or name in _COUNTING_JA or plain in ("it", "%") or not re.search(r"[^\W\d_]", plain):
            continue
        if re.fullmatch(r"\d[\d.,]*(?:%|x|k|m|st|nd|rd|th|-fold|fold|s)?", plain) or re.fullmatch(r"q[1-4]", plain):
            continue
        if count_cjk(name) and not count_cjk(source):
            continue  # a name is written differently in another script
        if plain not in source:
            found.append(name)
    return found


def doubts_of(clauses: Clauses, tables: Sequence[CitedTable], spans: Sequence[str]) -> str:
    """What keeps figures that are right from being all that a sentence says; empty when nothing does."""
    text = without_marks(clauses.text)
    if match := REASON.search(text):
        return f"counts do not say '{match[0]}'"
    if negates(NO_NEGATION.sub(" ", text)):
        return "it negates, and the counts cannot"
    source = {stem(word) for word in re.findall(r"[^\W\d_]+", _source(tables, spans)) if word.isascii()}
    words = {word for word in re.findall(r"[a-z]{3,}", text) if not counts(word) and stem(word) not in source}
    if len(words) > MOST_WORDS:
        return f"the counts do not say '{min(words, key=text.index)}'"
    return ""


def _source(tables: Sequence[CitedTable], spans: Sequence[str]) -> str:
    parts = [*spans]
    for table in tables:
        aggregation: Aggregation = table.aggregation
        parts += [*aggregation.fields, aggregation.interval, table.request.text, table.request.table]
        parts += [f"{each.field} {each.value}" for each in table.request.filters]
        parts += [part for at in table.rows for part in aggregation.buckets[at].key]
        parts += [name for bucket in aggregation.buckets for name in bucket.statistics]
    return folded(" ".join(parts).replace("_", " ") + " " + " ".join(parts)).casefold()
