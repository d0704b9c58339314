"""The fixed phrases of a report, in the languages that have them; every other language gets the English ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from fathom.languages.packs import pack, packs

if TYPE_CHECKING:
    from fathom.data.results import Statistic
    from fathom.errors import StopReason
    from fathom.evidence import Lack
    from fathom.findings import Check

LANGUAGES = tuple(each.code for each in packs() if "report" in each.tables)
"""Codes of the languages that have phrases of their own."""


@dataclass(frozen=True, kw_only=True)
class Phrases:
    """What a report says in words of its own. `{…}` marks what `str.format` fills in; counts are integers.

    Headings carry no markup and no final punctuation; sentences end as sentences do.
    """

    summary: str
    """Heading of the part that answers first."""
    key_findings: str
    """Heading of the list of claims that answer first."""
    conclusion: str
    """Heading."""
    next_steps: str
    """Heading of the list of what to do."""
    nearest: str
    """Heading of the passage that comes nearest to the question."""
    older: str
    """Behind the name of a document when the report quotes a newer one of that name, too: minutes have no versions."""
    further: str
    """Heading of what else bears on the question."""
    not_found: str
    """Heading of the list of what was asked for and not found."""
    not_found_intro: str
    """Sentence before that list."""
    nothing_found: str
    """The whole answer when no source holds one."""
    unsaid: str
    """Stands above passages none of which has some words of the question: `{words}`."""
    quoted_word: str
    """A word of the question, in quotation marks: `{word}`."""
    nothing_yet: str
    """The whole answer of a partial report that has found nothing."""
    sources: str
    """Heading of the numbered list."""
    limitations: str
    """Heading."""
    suggestions: str
    """Heading of what to research further."""
    contradictions: str
    """Heading of the claims that cannot all be true."""
    says: dict[str, str]
    """What a source says against another one, by kind: `{source}` names it, with its date, and `{claim}` is quoted."""
    dated: str
    """Behind the name of a source: its `{date}`."""
    undated_mark: str
    """Behind the name of a page whose date is not known."""
    your_documents: str
    """Heading of the sources that are the user's."""
    your_data: str
    """Heading of the sources that are datasets."""
    the_web: str
    """Heading of the sources that are pages."""
    natures: dict[str, str]
    """Who speaks on a page, as a word behind its site."""
    published: str
    """When a page was published: `{date}`."""
    read: str
    """When a page was read: `{date}`."""
    copy_of: str
    """A page says almost word for word what the source `{source}` says."""
    counted: str
    """Behind a count of a dataset: it was made of `{records}` records."""
    asked: str
    """When a dataset was asked: `{date}`."""
    more: dict[str, str]
    """Below a table that is cut: what it leaves out, `{groups}` and `{records}`, as far as known; of a histogram the
    groups are steps."""
    records: str
    """Heading of the column that counts."""
    measures: dict[Statistic, str]
    """Heading of a column with a measure of the field `{field}`."""
    data_read: dict[str, str]
    """Of the dataset `{name}`, `{scanned}` of `{matched}` matching records were read; the same when it is not known how
    many match, and when none does."""
    data_part: str
    """Names a dataset `{name}` and the part of the question that it was asked for, `{part}`."""
    data_total: str
    """Behind that: the records of the dataset, `{total}`."""
    data_capped: str
    """Behind that: why the rest was not read, `{why}`."""
    data_capped_by: str
    """Why: the option `{limit}` allows no more."""
    data_counted: dict[str, str]
    """Behind that: `{counted}` counts were made of all that match."""
    data_capped_note: dict[str, str]
    """Limitation: `{why}` kept records of `{name}` from being read; `known` when it is known how many match."""
    data_listed: str
    """Limitation: of `{found}` records that match, the report lists `{listed}`."""
    data_left_out: dict[str, str]
    """Limitation: `{words}` of the question were not understood; `one` word or `many`."""
    data_no_day: str
    """Limitation: the question names `{day}`, which no calendar has."""
    data_nothing: str
    """Limitation: no record of `{name}` matches what was asked for, `{what}`."""
    data_tables: dict[str, str]
    """Limitation: of the `{tables}` tables of `{name}` only `{asked}` was asked, `one` of them or `many`."""
    partial: dict[StopReason, str]
    """Why the report is partial, by reason."""
    partial_other: str
    """The same for any other `{reason}`."""
    footer: str
    """How many sentences were checked, `{claims}`, and how many have each status, `{verdicts}`."""
    quoted: dict[str, str]
    """Instead of these counts, in a report that only quotes: a `line` with how many passages and of which sources."""
    coverage: str
    """How much of `{what}` was looked at: `{total}`, `{matched}`, `{scanned}`."""
    looked_at: dict[str, str]
    """What was looked at: `documents`, `web`, or `both`."""
    run: str
    """Names the run: `{run_id}`, `{seconds}`, `{calls}`."""
    conclusion_sign: str
    """What the sign of a conclusion means."""
    weak_mark: dict[str, str]
    """Mark behind a sentence that is neither quoted nor supported, by status."""
    verdicts: dict[str, str]
    """How many sentences have a status: `{count}`."""
    weak_note: str
    """Says in the limitations that `{count}` sentences carry such a mark."""
    invented: str
    """Says in the limitations that `{count}` citations were dropped because they name nothing that was read."""
    passed_by: str
    skipped: str
    """Says in the limitations that parts were left out because somebody wanted it so: `{what}`."""
    unapproved: str
    """Says in the limitations that `{count}` approvals were answered by nobody in time."""
    left_open: str
    """Says in the limitations that nobody has answered `{what}`, so that the question was taken as it stands."""
    which_is_meant: str
    """Asks which of several documents the question means."""
    stand_ins: str
    """Says in the limitations that `{count}` tasks were answered by rules and not by the model, and why."""
    made_with: dict[str, str]
    """Says what of the report `{models}` have made; by `ModelPart`."""
    unread_parts: str
    """Says in the limitations what of a cited document, `{title}`, was not read, and why: `{what}`."""
    source_failed: str
    """Says in the limitations that the source `{name}` did not answer, and why: `{error}`."""
    lacks: dict[Lack, str]
    """Limitation: what was left out of searches for want of time."""
    single_source: str
    """Limitation: the whole report rests on one source."""
    single_origin: str
    """Limitation: `{count}` of `{claims}` sentences rest on pages of one site, or on copies of one page."""
    stale: str
    """Limitation: `{count}` sentences rest on old pages only, where it is asked what is current: `{sources}`."""
    undated: str
    """Limitation: pages without a date, though it is asked what is current: `{sources}`."""
    doubts: dict[Check, str]
    """Limitations by what was checked of the findings: `{what}` names parts of the question, `{count}` findings."""
    search_again: str
    """Suggestion: add documents about `{what}`."""
    look_deeper: str
    """Suggestion: research `{what}` in a run of its own."""
    resume: str
    """Suggestion of a partial report: go on with the run `{run_id}`."""
    wishes: dict[str, str]
    """Of a report that is set as its question wishes: the heading of a `timeline` and of a `table`, the names of its
    columns, `part` and `told`; limitations: the report could not be put for a `reader` without a model (`{wish}`), is
    in a `language` but for what it quotes, or `no_language` has the words for it (`{language}`), has `no_dates` for a
    timeline, or nothing that is not `too_short`."""
    full_stop: str
    """Ends a sentence."""
    colon: str
    """Ends a lead-in, the space behind it included."""
    comma: str
    """Stands between the parts of a list, the space behind it included."""

    def notice(self, reason: StopReason | str | None) -> str:
        """Why the report is partial; empty when it is not."""
        if reason is None:
            return ""
        known: dict[str, str] = {**self.partial}
        return known.get(reason) or self.partial_other.format(reason=reason)

    def quotes(self, passages: int, kinds: Sequence[str]) -> str:
        """How many passages a report quotes, and of what: the kind of each of its sources.

        >>> phrases("en").quotes(3, ["file"])
        '3 passages quoted word for word from 1 document.'
        """
        what = "both" if len(set(kinds)) > 1 else f"{kinds[0]}s" if len(kinds) > 1 else kinds[0]
        told = self.quoted["passage" if passages == 1 else "passages"].format(count=passages)
        return self.quoted["line"].format(passages=told, sources=self.quoted[what].format(count=len(kinds)))

    def counts(self, verdicts: Mapping[str, int]) -> str:
        """How many sentences have each status; what there is none of is left out.

        >>> phrases("en").counts({"quoted": 3, "supported": 0, "unjudged": 1})
        '3 quoted, 1 unverified'
        """
        return self.comma.join(self.verdicts[status].format(count=count) for status, count in verdicts.items() if count)

    def lacking(self, unsaid: Sequence[str]) -> str:
        """What stands above passages that lack some words of the question.

        >>> phrases("en").lacking(["cheaper", "Aviva"])
        'None of these passages mentions “cheaper”, “Aviva”.'
        """
        return self.unsaid.format(words=self.comma.join(self.quoted_word.format(word=word) for word in unsaid))

    def says_of(self, kind: str, source: str, date: str, claim: str) -> str:
        """What a source says against another one, its mark `[S1]` and its date behind its name."""
        when = self.dated.format(date=date) if date else self.undated_mark if kind == "web" else ""
        return self.says[kind].format(source=f"[{source}]{when}", claim=claim)


@cache
def phrases(language: str) -> Phrases:
    """The phrases of a language, given as an ISO 639-1 code; of one that has none, the English ones.

    >>> phrases("ja").conclusion, phrases("fr").summary, phrases("fi").conclusion
    ('結論', 'Résumé', 'Conclusion')
    """
    return Phrases(**pack(language).says("report"))
