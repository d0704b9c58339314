"""What a report tells, and how it is set, by the wishes of its question: by rule, from sentences that are checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from fathom.composing.fitting import YEAR, Fit
from fathom.composing.numbering import JudgedSection
from fathom.evidence import Document
from fathom.findings import Finding, StatementForm
from fathom.languages.kanji import of_the_common_era
from fathom.preferences import BRIEF, BRIEF_WORDS, LengthUnit, ReportPreferences
from fathom.sheet import Sheet
from fathom.text.analysis import query_terms, terms
from fathom.text.common import telling
from fathom.text.dates import DAYS, month_number
from fathom.text.display import word_count
from fathom.text.language import name_of
from fathom.text.phrases import LANGUAGES, Phrases
from fathom.text.sentences import sentences
from fathom.text.typeset import cells_of
from fathom.verification.judged import Judged
from fathom.written import Place, Unit, WrittenReport

MOST_ITEMS: dict[str, int] = {"bullets": 12, "table": 16, "timeline": 24}
"""Points of a report, where nobody says how many."""
LEAST_WORDS: dict[str, int] = {"paragraph": 4, "item": 2}
"""Words of a sentence, and of an item, that says something by itself."""
SHORT_WORDS, SHORT_SENTENCES = 150, 5
"""Up to which length a report is one section."""
_ENDS = (".", "。", "!", "！", "?", "？", "…", "”", "」")
_NUMBER = re.compile(r"^\d{1,3}[.)]\s+")


_LENGTHS: dict[LengthUnit, Callable[[str], int]] = {
    "words": word_count,
    "characters": lambda text: len("".join(text.split())),
    "sentences": lambda _: 0,
    "items": lambda _: 0,
}
_ONE: dict[LengthUnit, int] = {"words": 1, "characters": 0, "sentences": 1, "items": 1}
"""What a sentence takes besides: its mark counts as a word."""


@dataclass(frozen=True)
class _Told:
    """A sentence that may be told."""

    section: int
    """Which of the sections it stands in."""
    heading: str
    sentence: Judged
    worth: tuple[float, ...]
    """The higher, the better it answers."""

    @property
    def says(self) -> bool:
        """Whether it shares a word with what is asked, or tells most of it."""
        return bool(self.worth[1] or self.worth[3])


class Shape:
    """How a report is cut and set as its question wishes."""

    def __init__(
        self,
        preferences: ReportPreferences,
        documents: Mapping[str, Document],
        words: Phrases,
        *,
        title: str,
        headings: Mapping[str, str],
    ) -> None:
        """`headings` are those of the parts of the question, by their ids."""
        self._wished, self._documents, self._words = preferences, documents, words
        self._title, self._headings = title, headings
        self._fit = Fit(preferences)
        self._topic = frozenset(query_terms(preferences.topic))
        self._unmet: list[str] = []

    def notes(self) -> list[str]:
        """Which wishes could not be met, a sentence for each."""
        wished, says = self._wished, self._words.wishes
        for_whom = self._words.comma.join(filter(None, (wished.audience, wished.tone)))
        if for_whom:
            self._unmet.append(says["reader"].format(wish=for_whom))
        if wished.language:
            known = wished.language in LANGUAGES
            self._unmet.append(says["language" if known else "no_language"].format(language=name_of(wished.language)))
        return self._unmet

    def shaped(self, sections: Sequence[JudgedSection]) -> tuple[JudgedSection, ...]:
        """The sections as they are wished for."""
        wished = self._wished
        kept = tuple(filter(None, map(self._fitting, sections)))
        if wished.form in (None, "comprehensive") and not wished.lengths:
            return kept
        told = [each for at, section in enumerate(kept) for each in self._sentences(at, section)]
        if wished.form == "timeline":
            dated = sorted(self._chosen(list(self._dated(told))), key=lambda each: each.sentence.label)
            if dated or not told:
                return self._one(dated, self._words.wishes["timeline"], form="item")
            self._unmet.append(self._words.wishes["no_dates"])
        told = self._chosen(told)
        match wished.form:
            case "table":
                return self._one(self._in_rows(told), self._words.wishes["table"], form="row")
            case "literature_review":
                return self._by_source(told)
            case _ if wished.form == "bullets" or (wished.most("items") and wished.form is None):
                return self._set(told, kept, form="item")
            case "paragraphs":
                return self._set(told, kept, form="paragraph")
        return self._set(told, kept)

    # ── What may be told ───────────────────────────────────────────────────────────────────────────────────────────

    def _fitting(self, section: JudgedSection) -> JudgedSection | None:
        """A section without what the question leaves out; `None` when nothing of it is left."""
        if self._fit.is_excluded(section.heading):
            return None
        own: list[Judged] = []
        for sentence, below in zip_longest(section.sentences, section.sentences[1:]):
            leads = sentence.form == "lead_in" and (below is None or below.form not in ("item", "row"))
            if not leads or self._may_be_told(sentence):
                own += [sentence] if self._may_be_told(sentence) else []
        below_it = tuple(filter(None, map(self._fitting, section.sections)))
        return replace(section, sentences=tuple(own), sections=below_it) if own or below_it else None

    def _may_be_told(self, sentence: Judged) -> bool:
        headed = (text for span in sentence.evidence for text in (span.locator, self._documents[span.document].title))
        if self._fit.is_excluded(sentence.text) or any(map(self._fit.is_excluded, headed)):
            return False
        return not self._fit.is_outside(sentence.text)

    def _is_counted(self, each: _Told) -> bool:
        return self._documents[each.sentence.evidence[0].document].kind == "dataset"

    def _sentences(self, at: int, section: JudgedSection) -> Iterator[_Told]:
        """Its sentences one by one; what only leads in says nothing by itself, and code is no sentence."""
        for sentence in section.all_sentences():
            if sentence.form in ("lead_in", "code") or not sentence.cited:
                continue
            for text in _apart(sentence):
                one = replace(sentence, text=text, form=sentence.form, cited=_bare(sentence.cited))
                if word_count(text) >= LEAST_WORDS.get(sentence.form, 1) and self._may_be_told(one):
                    yield _Told(at, section.heading, one, self._worth(section, one))

    def _worth(self, section: JudgedSection, sentence: Judged) -> tuple[float, ...]:
        """What tells most of what is asked first, then what is in the region and says the words of the topic."""
        best, text = sentence.cited[0], sentence.text
        is_whole = sentence.form != "paragraph" or text.endswith(_ENDS)
        held = self._topic & frozenset(terms(text))
        is_there = self._fit.is_there(text, *(span.locator for span in sentence.evidence))
        says = sum(telling(term, language=self._documents[best.evidence[0].document].language) for term in held)
        return tuple(
            map(float, (section.role == "summary", is_there, is_whole and says > 0, is_whole, says, best.relevance))
        )

    # ── How much ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _chosen(self, told: Sequence[_Told]) -> list[_Told]:
        """As many as there is room for, the best of each part in turn, in the order of the report.

        What counts is what stands under the title, with it and the headings; the notes and the sources below do not.
        """
        wished = self._wished
        room: dict[LengthUnit, int] = {length.unit: length.most for length in wished.lengths}
        if wished.form in BRIEF and not room.keys() & {"words", "characters", "sentences"}:
            room["words"] = BRIEF_WORDS
        if wished.form in MOST_ITEMS and not room and not all(map(self._is_counted, told)):
            room["items"] = MOST_ITEMS[wished.form]
        heads = (self._title, *([] if self._is_short else dict.fromkeys(each.heading for each in told)))
        room = {unit: most - _LENGTHS[unit](" ".join(heads)) for unit, most in room.items()}
        if wished.form in BRIEF:  # what shares no word with what is asked is not the answer
            told = [each for each in told if each.says] or told
        parts = [[each for each in told if each.section == at] for at in dict.fromkeys(each.section for each in told)]
        turns = zip_longest(*(sorted(part, key=lambda each: each.worth, reverse=True) for part in parts))
        chosen: list[_Told] = []
        said = set[str]()
        for each in (each for turn in turns for each in turn if each is not None):
            is_fragment = each.sentence.form == "paragraph" and not each.sentence.text.endswith(_ENDS)
            if each.sentence.text in said or (is_fragment and chosen and not each.says):
                continue
            said.add(each.sentence.text)
            takes = {unit: _LENGTHS[unit](each.sentence.text) + _ONE[unit] for unit in room}
            if all(takes[unit] <= left for unit, left in room.items()):
                chosen.append(each)
                room = {unit: left - takes[unit] for unit, left in room.items()}
        if told and not chosen:
            self._unmet.append(self._words.wishes["too_short"])
        return sorted(chosen, key=told.index)

    # ── How it is set ──────────────────────────────────────────────────────────────────────────────────────────────

    def _set(
        self, told: Sequence[_Told], sections: Sequence[JudgedSection], *, form: StatementForm | None = None
    ) -> tuple[JudgedSection, ...]:
        """Under the headings that they had; of a short report under one."""
        if self._is_short:
            return self._one(told, self._words.key_findings if form == "item" else self._words.summary, form=form)
        return tuple(
            replace(section, sentences=own, sections=())
            for at, section in enumerate(sections)
            if (own := tuple(self._in_form(each, form) for each in told if each.section == at))
        )

    def _in_form(self, each: _Told, form: StatementForm | None) -> Judged:
        """A sentence as it is set: as in its source, where no form is given; a row that stands alone is an item, and
        where points or paragraphs are wished for, its number and its bars go."""
        form = form or ("item" if each.sentence.form == "row" else each.sentence.form)
        text = (
            self._words.comma.join(filter(None, cells_of(each.sentence.text))) if form != "row" else each.sentence.text
        )
        return replace(each.sentence, form=form, text=_NUMBER.sub("", text) if form != "row" else text)

    @property
    def _is_short(self) -> bool:
        """Whether the report is one section."""
        wished, sentences = self._wished, self._wished.most("sentences")
        is_few = bool(sentences and sentences <= SHORT_SENTENCES) or wished.most("items") is not None
        return is_few or (wished.words or SHORT_WORDS + 1) <= SHORT_WORDS or wished.form in BRIEF

    def _one(self, told: Iterable[_Told], heading: str, *, form: StatementForm | None) -> tuple[JudgedSection, ...]:
        own = [self._in_form(each, form) for each in told]
        if self._wished.form == "paragraphs" and self._is_short:
            own[1:] = [replace(sentence, goes_on=True) for sentence in own[1:]]
        return (JudgedSection("summary", heading, None, tuple(own)),) if own else ()

    def _by_source(self, told: Sequence[_Told]) -> tuple[JudgedSection, ...]:
        """A section for each document, the oldest first as far as their dates are known."""
        found = dict.fromkeys(each.sentence.evidence[0].document for each in told)
        order = sorted(found, key=lambda sha256: self._documents[sha256].published or "9")
        sections = []
        for sha256 in order:
            document = self._documents[sha256]
            heading = f"{document.title} ({document.published})" if document.published else document.title
            own = tuple(each.sentence for each in told if each.sentence.evidence[0].document == sha256)
            sections.append(JudgedSection("section", heading, None, own))
        return tuple(sections)

    def _in_rows(self, told: Sequence[_Told]) -> list[_Told]:
        """Rows of a table, those of a side together: the part of the question that it answers where there are several,
        else the document that says so, or within one the heading there. Where all are of one side they are counted."""
        parts = {each.sentence.cited[0].root for each in told}
        documents = {each.sentence.evidence[0].document for each in told}

        def side(each: _Told) -> str:
            place = each.sentence.evidence[0]
            title = self._documents[place.document].title
            headed = self._headings.get(each.sentence.cited[0].root, "") if len(parts) > 1 else ""
            return headed or (title if len(documents) > 1 else place.locator.rpartition(" › ")[2] or title)

        rows = [replace(each, sentence=replace(each.sentence, label=side(each))) for each in told]
        order = list(dict.fromkeys(each.sentence.label for each in rows))
        if rows[1:] and len(order) == 1:
            return [
                replace(each, sentence=replace(each.sentence, label=str(n))) for n, each in enumerate(rows, start=1)
            ]
        return sorted(rows, key=lambda each: order.index(each.sentence.label))

    def _dated(self, told: Iterable[_Told]) -> Iterator[_Told]:
        """Those that are known to be of some day, month or year: they say it, or what they stand under."""
        for each in told:
            place = each.sentence.evidence[0]
            document = self._documents[place.document]
            texts = (each.sentence.text, place.locator, document.title, document.published)
            day = next(filter(None, map(_day, texts)), "")
            if day and not self._fit.is_outside(day):
                yield replace(each, sentence=replace(each.sentence, label=day))


def as_wished(
    report: WrittenReport, wished: ReportPreferences, *, documents: Mapping[str, Document], sheet: Sheet
) -> WrittenReport:
    """A written report without what its question excludes, and with as many points and sentences as it wishes."""
    fit = Fit(wished)
    places = {number: sentence.evidence[0] for number, _, sentence in sheet}

    def kept(place: Place, unit: Unit) -> Unit | None:
        headed = (text for at in unit.cites for text in (places[at].locator, documents[places[at].document].title))
        is_out = any(map(fit.is_excluded, (unit.text, place.label, *headed))) or fit.is_outside(unit.text)
        return None if is_out and unit.text else unit

    report = report.mapped(kept)
    report = report.model_copy(
        update={"sections": tuple(each for each in report.sections if not fit.is_excluded(each.heading))}
    )
    points, sentences = wished.most("items"), wished.most("sentences")
    if points is not None:
        report = report.model_copy(
            update={
                "sections": tuple(
                    section.model_copy(
                        update={
                            "blocks": tuple(
                                block.model_copy(update={"items": block.items[:points], "rows": block.rows[:points]})
                                for block in section.blocks
                            )
                        }
                    )
                    for section in report.sections
                )
            }
        )
    if sentences is not None:
        order = [place.id for place, unit in report.units() if unit.text][:sentences]
        report = report.mapped(lambda place, unit: unit if place.id in order else None)
    return report


def _apart(sentence: Judged) -> list[str]:
    """The sentences of a quotation, which was judged as a whole."""
    if sentence.form == "row" or not sentence.verdict.is_proved:
        return [sentence.text]
    return [sentence.text[start:end].strip() for start, end in sentences(sentence.text)] or [sentence.text]


def _bare(cited: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """Findings that are told sentence by sentence, and not as a passage."""
    return tuple(each.model_copy(update={"is_passage": False}) for each in cited)


def _day(text: str) -> str:
    """The first day, month or year that a text names, as far as it is told (ISO 8601)."""
    text = of_the_common_era(text)
    for pattern in DAYS:
        if match := pattern.search(text):
            return f"{match['year']}-{month_number(match['month']):02}-{int(match['day']):02}"
    match = YEAR.search(text)
    return "" if not match else f"{match[1]}-{int(match[2]):02}" if match[2] else match[1]
