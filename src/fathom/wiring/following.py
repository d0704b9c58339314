"""Questions that follow others: which runs may be followed, and what such a question is as a run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from fathom.engine.following import sentence_of
from fathom.errors import Conflict
from fathom.settings import Settings
from fathom.text.language import detect
from fathom.wiring.models import settings_of
from fathom.wiring.opening import new_record
from fathom.wiring.question import changed_limits, checked_query
from fathom.wiring.readings import report_if_any

if TYPE_CHECKING:
    from fathom.limits import Limits
    from fathom.ports import Reasoner, RunRecord, RunStore


class FollowUp(NamedTuple):
    """A question that follows a run, checked: what is left is to answer it."""

    parent: RunRecord
    settings: Settings
    limits: Limits
    text: str
    """The question in the user's words; without any, the sentence that it is about."""
    about: str
    """Id of the claim that it is about; empty when it is about the whole."""

    def record(self, reasoner: Reasoner) -> RunRecord:
        """A new run with the sources of the one that it follows."""
        parent = self.parent
        gone = ("fork_of", "update_of", "about")
        sources = {name: value for name, value in parent.sources.items() if name not in gone}
        sources |= {"follows": parent.run_id, "thread": parent.thread} | ({"about": self.about} if self.about else {})
        language = detect(self.text, likely=parent.language)
        return new_record(
            reasoner,
            self.settings,
            query=self.text,
            language=parent.language if language == "und" else language,
            mode=parent.mode,
            limits=self.limits,
            sources=sources,
        )


async def follow_up(
    store: RunStore,
    run_id: str,
    question: str,
    settings: Settings,
    *,
    about: str = "",
    limits: Mapping[str, Any] | None = None,
    models: Mapping[str, Any] | None = None,
) -> FollowUp:
    """A question that follows a run, if it can be asked so.

    Raises:
        NotFound: there is no such run, or its report has no claim `about`.
        Conflict: the run is under way, or has no report.
        UsageError, ConfigurationError: the question is empty, or a limit or a model is wrong.
    """
    parent = await store.run(run_id)
    report = await report_if_any(store, parent.run_id)
    if parent.is_active:
        raise Conflict(
            f"The run {parent.run_id} is {parent.status}, so that nothing can follow it yet: "
            "wait until it has ended, or stop it; one that was cut off goes on with `fathom resume`."
        )
    if report is None:
        raise Conflict(f"The run {parent.run_id} is {parent.status} and has no report to follow: resume it first.")
    changed = changed_limits(parent.limits, limits or {})
    sentence = sentence_of(report, about, question) if about else ""
    text = checked_query(question, changed) if question.strip() or not sentence else sentence
    return FollowUp(parent, settings_of(parent, settings, models), changed, text, about.upper())
