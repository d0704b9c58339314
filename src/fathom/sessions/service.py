"""What can be done with sessions. It keeps nothing: every answer comes out of the store."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any

from fathom import wiring
from fathom.comparison.records import Comparison
from fathom.errors import NotFound, StoreError, UsageError
from fathom.frozen import request_digest
from fathom.outcomes import in_thread
from fathom.ports import RunRecord
from fathom.report import Estimate, Report
from fathom.sessions.datasets import ServedDataset
from fathom.sessions.library import Library
from fathom.sessions.requests import (
    CheckRequest,
    FollowUpRequest,
    ForkRequest,
    LabelRequest,
    SessionConfig,
    SessionRequest,
    WebConfig,
)
from fathom.sessions.worker import CANCELLED, Worker
from fathom.settings import Settings
from fathom.steering import Answer, Approval, Command
from fathom.text.places import names, portable
from fathom.verification.texts import CheckedText
from fathom.wiring.models import model_name, offered_models
from fathom.wiring.readings import report_if_any

log = logging.getLogger(__name__)

LONGEST_THREAD = 1_000
"""Sessions of a thread that are listed, the newest ones."""


class Sessions:
    """The sessions of a service.

    Args:
        fathom: What its runs share.
        worker: Who is told at once of what waits; in another process it finds out by itself.
        datasets: What sessions may ask by name. A client names no path, no address and no command of its own.
    """

    def __init__(
        self, fathom: wiring.Fathom, *, worker: Worker | None = None, datasets: Sequence[ServedDataset] = ()
    ) -> None:
        self._fathom = fathom
        self._store = fathom.store
        self._worker = worker
        self.library = Library(fathom, datasets)
        """What sessions may ask."""

    async def create(self, request: SessionRequest, *, key: str = "") -> tuple[RunRecord, bool]:
        """Store a session, to be carried out; with the `key` of an earlier request, the session of that. Also says
        whether it is a new one.

        Raises:
            UsageError, ConfigurationError: it cannot begin as it is asked for.
            Conflict: the key belongs to another request.
        """

        async def submitted(**kept: str) -> tuple[RunRecord, bool]:
            return await self._fathom.submit(await self._question(request), **kept)

        return await self._once(key, request.digest(), submitted)

    async def ask(self, id: str, request: FollowUpRequest, *, key: str = "") -> tuple[RunRecord, bool]:
        """Store a question that follows a session, to be carried out; also says whether the session is a new one.

        Raises:
            NotFound: no session has that id, or its report has no such sentence.
            Conflict: it is under way or has no report, or the key belongs to another request.
            UsageError, ConfigurationError: it cannot begin as it is asked for.
        """
        await self.get(id)
        limits = request.limits.model_dump(exclude_unset=True)
        begun = partial(self._fathom.submit_follow_up, id, request.query, about=request.about, limits=limits)
        return await self._once(key, request_digest("ask", id, request.digest()), begun)

    async def thread(self, id: str) -> list[RunRecord]:
        """The sessions of the thread that a session belongs to, oldest first.

        Raises:
            NotFound: none has that id.
        """
        return (await self._store.runs(thread=(await self.get(id)).thread, limit=LONGEST_THREAD))[::-1]

    async def estimate(self, request: SessionRequest) -> wiring.Prospect:
        """The plan for a question and what it will take; with a model, the plan is kept as a session.

        Raises:
            FathomError: as for `create`.
        """
        return await self._fathom.plan(await self._question(request))

    async def check(self, request: CheckRequest) -> CheckedText:
        """Hold a text against documents; nothing of it is kept.

        Raises:
            UsageError, ConfigurationError: it cannot be done as it is asked for.
        """
        settings = self._settings_for(SessionConfig(kb=request.kb, reasoner=request.reasoner))
        documents = await self.library.paths(settings.kb, request.documents)
        limits = request.limits.model_dump(exclude_unset=True)
        checked = await self._fathom.check(request.text, documents=documents, limits=limits, settings=settings)
        told = names(each.against.uri for each in checked.sentences if each.against)
        return checked.model_copy(update={"sentences": tuple(each.placed(told) for each in checked.sentences)})

    async def get(self, id: str) -> RunRecord:
        """A session.

        Raises:
            NotFound: none has that id.
        """
        run = await self._store.run(id)
        if run.run_id != id:  # a beginning of it is for people at a terminal
            raise NotFound(f"No session has the id '{id}'.")
        return run

    async def label(self, id: str, request: LabelRequest) -> RunRecord:
        """Call a session otherwise, or pin it.

        Raises:
            NotFound: none has that id.
        """
        return await self._store.label((await self.get(id)).run_id, name=request.name, pinned=request.pinned)

    async def cancel(self, id: str) -> RunRecord:
        """Ask a session to finish early: what is under way is finished, and a partial report written.

        One that still waits ends at once. Nothing changes for one that has ended.

        Raises:
            NotFound: none has that id.
        """
        run = await self.get(id)
        if not run.is_active:
            return run
        if (ended := await self._fathom.queue.withdraw(id, error=CANCELLED)) is not None:
            return ended
        run = await self._store.request_stop(id)
        self._wake()
        return run

    async def answer(self, id: str, said: Answer, approval_id: str | None) -> Approval:
        """Answer what a session waits for (see `Fathom.answer`).

        Raises:
            NotFound: none has that id, or it has asked nothing of that name.
            Conflict: it waits for no answer any more, or somebody was faster.
            UsageError: it cannot be carried out so.
        """
        return await self._fathom.answer((await self.get(id)).run_id, said, approval_id=approval_id)

    async def expected(self, id: str, said: Answer, approval_id: str) -> Estimate:
        """What a session that waits with its plan would take if that was answered so (see `Fathom.expected`).

        Raises:
            NotFound, Conflict, UsageError: as for `answer`.
        """
        return await self._fathom.expected((await self.get(id)).run_id, said, approval_id=approval_id)

    async def steer(self, id: str, command: Command, subtask_id: str | None) -> None:
        """Tell a session that is under way what to do otherwise (see `Fathom.steer`).

        Raises:
            NotFound: none has that id, or it has no such subtask.
            Conflict: it is too late for that, or it was told so before.
            UsageError: the command needs a subtask, or takes none.
        """
        await self._fathom.steer((await self.get(id)).run_id, command, subtask_id)

    async def resume(self, id: str, *, limits: Mapping[str, Any] | None = None) -> RunRecord:
        """Go on with a session that was stopped, limited, failed, or only planned.

        Raises:
            NotFound: none has that id.
            Conflict: it is complete, or under way; or it was imported.
            ConfigurationError: a limit is wrong.
        """
        run = await self.get(id)
        wiring.refuse_imported(run)
        changes = {"limits": wiring.changed_limits(run.limits, limits)} if limits else {}
        run = await self._fathom.queue.requeue(id, **changes)
        self._wake()
        return run

    async def fork(self, id: str, request: ForkRequest, *, key: str = "") -> tuple[RunRecord, bool]:
        """Store a session again, as a new one to be carried out (see `Fathom.submit_again`); otherwise as `create`.

        Raises:
            NotFound, Conflict, UsageError, ConfigurationError: it cannot begin as it is asked for.
        """
        await self.get(id)
        again = request.model_dump(exclude={"limits"}) | {"limits": request.limits.model_dump(exclude_unset=True)}
        begun = partial(self._fathom.submit_again, id, **again)
        return await self._once(key, request_digest("fork", id, request.digest()), begun)

    async def _once(
        self, key: str, digest: str, submit: Callable[..., Awaitable[tuple[RunRecord, bool]]]
    ) -> tuple[RunRecord, bool]:
        """What is submitted; with the key of an earlier request, the session of that, even if it could not be asked so
        any more."""
        if key and (earlier := await self._fathom.queue.submitted(key, digest)):
            return earlier, False
        run, is_new = await submit(key=key, digest=digest)
        self._wake()
        return run, is_new

    async def compare(self, id: str, earlier: str | None = None) -> Comparison:
        """The report of a session beside that of an earlier one (see `Fathom.compare`).

        Raises:
            NotFound, Conflict, UsageError: there are no two reports.
        """
        runs = [(await self.get(each)).run_id for each in (earlier, id) if each is not None]
        return await self._fathom.compare(*runs)

    async def delete(self, id: str) -> None:
        """Remove a session and what is only its own; one that is under way ends.

        Raises:
            NotFound: none has that id.
        """
        run = await self.get(id)
        await self._store.delete_run(run.run_id)
        self._wake()
        try:
            await wiring.forget_checkpoints(run.run_id, self._fathom.settings)
        except StoreError as error:  # they are only a view, and the session is gone
            log.warning("the checkpoints of a session that is gone stay: %s", error, extra={"session": id})

    async def report(self, id: str) -> Report:
        """The report of a session.

        Raises:
            NotFound: none has that id, or it has no report yet.
        """
        run = await self.get(id)
        report = await report_if_any(self._store, id)
        if report is None:
            cure = "follow it until it ends" if run.is_active else "resume it"
            raise NotFound(f"The session {id} is {run.status} and has no report yet: {cure}.")
        return portable(report)

    def _wake(self) -> None:
        if self._worker is not None:
            self._worker.wake()

    # ── What was asked ─────────────────────────────────────────────────────────────────────────────────────────────

    async def _question(self, request: SessionRequest) -> wiring.Question:
        """What a request stands for: its names as files and servers, and what it leaves out as the service has it."""
        config = request.config
        settings = self._settings_for(config)
        data, mcp = await in_thread(self.library.datasets.named, config.datasets)
        return wiring.Question(
            request.query,
            documents=await self.library.paths(settings.kb, config.documents) or None,
            data=data,
            mcp=mcp,
            mode=config.wanted_mode,
            effort=config.effort,
            template=config.template,
            limits=config.changed_limits,
            settings=settings,
            knowledge=config.knowledge,
        )

    def _settings_for(self, config: SessionConfig) -> Settings:
        """The settings of the service with what a session may choose.

        Raises:
            UsageError: it asks for what this service does not give.
        """
        settings = self._fathom.settings
        changes: dict[str, Any] = {"web": bool(config.web)}
        if config.web and settings.no_web:
            raise UsageError("This service leaves the web alone: leave `web` out.")
        if isinstance(config.web, WebConfig):
            web = config.web
            changes |= {"web_allow": web.allow, "web_deny": web.deny, "web_since": web.since, "refresh": web.refresh}
        if config.kb:
            changes["kb"] = config.kb
        if config.reasoner == "language_model" and not model_name(settings):
            raise UsageError("This service has no model: leave `reasoner` out.")
        if config.model and config.model not in offered_models(settings):
            raise UsageError(f"This service does not offer the model '{config.model}': /api/offer lists those it does.")
        if config.model and config.model != model_name(settings):
            changes |= {"model": config.model, "model_fast": None, "model_strong": None, "model_check": None}
        if config.reasoner:
            changes["reasoner"] = config.reasoner
        given = {name: getattr(settings, name) for name in settings.model_fields_set}
        return wiring.load_settings(**{**given, **changes})
