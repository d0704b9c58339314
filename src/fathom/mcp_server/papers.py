"""What a client may read or take besides the tools: whole reports as resources, and a prompt."""

from __future__ import annotations

import re
from collections.abc import Mapping

import mcp_types as types

from fathom.errors import NotFound, UsageError
from fathom.mcp_server.outputs import CAUTION
from fathom.mcp_server.reports import whole
from fathom.outcomes import in_thread
from fathom.ports import RunStore
from fathom.sessions.service import Sessions
from fathom.text.harmless import inert, inert_lines

LISTED = 20
"""Sessions whose reports are listed, the newest ones; those of others are read by their address."""

_ADDRESS = re.compile(r"fathom://session/([A-Za-z0-9_]{1,100})/report\.(md|json)")
_TYPES = {"md": "text/markdown", "json": "application/json"}
_PROMPT = "deep_research"


class Papers:
    """Reports of sessions by their addresses."""

    def __init__(self, sessions: Sessions, store: RunStore) -> None:
        self._sessions = sessions
        self._store = store

    async def listed(self) -> list[types.Resource]:
        """The reports of the newest sessions."""
        runs = await self._store.runs(limit=LISTED, statuses=("completed", "partial"))
        return [
            types.Resource(
                uri=f"fathom://session/{run.run_id}/report.md",
                name=f"{run.run_id}/report.md",
                title=inert(run.query, width=120),
                description=f"The report of a session of {run.created_at[:10]} ({run.standing}).",
                mime_type=_TYPES["md"],
            )
            for run in runs
        ]

    @property
    def templates(self) -> list[types.ResourceTemplate]:
        """The addresses of all reports."""
        told = {
            "md": "The whole report of a session as Markdown.",
            "json": "The whole report of a session as data: claims, evidence, sources, coverage.",
        }
        return [
            types.ResourceTemplate(
                uri_template=f"fathom://session/{{session_id}}/report.{suffix}",
                name=f"report.{suffix}",
                description=description,
                mime_type=_TYPES[suffix],
            )
            for suffix, description in told.items()
        ]

    async def read(self, uri: str) -> types.TextResourceContents:
        """The report at an address.

        Raises:
            NotFound: there is none.
        """
        match = _ADDRESS.fullmatch(uri)
        if match is None:
            raise NotFound(
                f"There is nothing at '{inert(uri, width=120)}': a report is at fathom://session/ID/report.md or .json."
            )
        report = await self._sessions.report(match[1])
        text = await in_thread(whole, report, "report" if match[2] == "md" else "json")
        return types.TextResourceContents(uri=uri, mime_type=_TYPES[match[2]], text=inert_lines(text))

    @property
    def prompt(self) -> types.Prompt:
        """The prompt that has a question researched."""
        return types.Prompt(
            name=_PROMPT,
            title="Deep research",
            description="Have Fathom research a question, and answer it with checked citations.",
            arguments=[
                types.PromptArgument(name="question", description="What is to be researched.", required=True),
                types.PromptArgument(name="effort", description="quick, standard or deep."),
            ],
        )

    def prompted(self, name: str, given: Mapping[str, str]) -> types.GetPromptResult:
        """What the prompt says for a question.

        Raises:
            UsageError: there is no such prompt, or no question.
        """
        if name != _PROMPT:
            raise UsageError(f"There is no prompt '{inert(name, width=80)}'. Known: {_PROMPT}.")
        question = inert_lines(given.get("question", "")).strip()
        if not question:
            raise UsageError(f"The prompt {_PROMPT} needs a question.")
        effort = f" with effort {inert(given['effort'], width=20)}" if given.get("effort") else ""
        text = (
            f"Research this question with Fathom:\n\n{question}\n\n"
            f"1. Ask `list_sources` what there is to ask, then `research`{effort}.\n"
            "2. While it is not done, `follow` it; then read its `report`.\n"
            "3. Answer from its claims alone. State those that are `supported`, say so where one is `partial`, and "
            "leave out what is not borne out. Cite the source of each sentence, and name contradictions and "
            f"limitations that the report names.\n\n{CAUTION}"
        )
        return types.GetPromptResult(
            description="Research with checked citations.",
            messages=[types.PromptMessage(role="user", content=types.TextContent(text=text))],
        )
