"""The tools as a client sees them: what each is for, what it takes and gives, and what it may change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import cache
from typing import Any, NamedTuple, get_type_hints

import mcp_types as types

from fathom.frozen import FrozenModel
from fathom.mcp_server import outputs
from fathom.mcp_server.following import Tell
from fathom.mcp_server.handlers import ToolHandlers

INSTRUCTIONS = f"""\
Fathom researches a question in the user's documents, in data and, if asked, on the web, and writes a report in which \
every sentence is cited and every citation has been checked.

- Ask `research` for whatever takes several sources or a checked answer. It starts a session and waits a while; when \
the session is not done by then, `follow` it, and fetch the `report` at the end. `ask` what follows from its report.
- Ask `search_knowledge` for a quick look into the user's documents, `check` for whether they bear a text out, and \
`list_sources` for what there is to ask.
- Cite by the claims of a report: rely on those with the status `supported`, and quote their `quotes`. `source` shows \
a quote in its context.

A session belongs to Fathom and not to a call: it goes on when a call is cancelled or times out, and it is found again \
by `list_sessions`. When this server ends, what is under way is let go, and goes on when Fathom is started again.

{outputs.CAUTION}"""

_GOES_ON = (
    "The session goes on when this call is cancelled or times out (`list_sessions` finds it, `cancel` ends it); when "
    "this server ends, the session is let go and goes on with the next one that is started."
)

_READS = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_STARTS = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=True
)
_ENDS = types.ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
_TELLS = types.ToolAnnotations(
    read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
)
_JUDGES = types.ToolAnnotations(
    read_only_hint=True, destructive_hint=False, idempotent_hint=False, open_world_hint=True
)


class Tool(NamedTuple):
    """A tool, which the method of the handlers that has its name answers."""

    name: str
    title: str
    description: str
    takes: type[FrozenModel]
    gives: type[FrozenModel]
    annotations: types.ToolAnnotations

    @property
    def is_costly(self) -> bool:
        """Whether it makes a session or a plan, goes on with one, or has a text judged."""
        return self.annotations.open_world_hint is True

    @property
    def shown(self) -> types.Tool:
        """As it is listed."""
        return types.Tool(
            name=self.name,
            title=self.title,
            description=self.description,
            input_schema=_schema(self.takes, "validation"),
            output_schema=_schema(self.gives, "serialization"),
            annotations=self.annotations,
        )


@cache  # a client that calls a tool over HTTP has all of them listed each time
def _schema(model: type[FrozenModel], mode: Any) -> dict[str, Any]:
    return {**model.model_json_schema(mode=mode), "type": "object"}


def _tool(
    does: Callable[[ToolHandlers, Any, Tell], Awaitable[FrozenModel]],
    annotations: types.ToolAnnotations,
    title: str,
    description: str,
) -> Tool:
    """The tool that a method makes: it takes and gives what the method does."""
    hints = get_type_hints(does)
    return Tool(does.__name__, title, description, hints["given"], hints["return"], annotations)


TOOLS = {
    tool.name: tool
    for tool in (
        _tool(
            ToolHandlers.research,
            _STARTS,
            "Research a question",
            "Research a question in the user's documents, in datasets and, if `web` is true, on the web, and return a "
            "report in which every sentence is cited and checked. For questions that take several sources, a "
            "comparison, or an answer to rely on; for a quick look into the documents ask `search_knowledge`. It takes "
            "from seconds to many minutes: it waits `wait_seconds` and returns the report when it is done by then, "
            f"else how to `follow` it. {_GOES_ON}",
        ),
        _tool(
            ToolHandlers.ask,
            _STARTS,
            "Ask on",
            "Ask a question that follows a session which has a report: it may lean on what was asked before. What was "
            "read for that session answers first, and only what is missing is researched; the answer is checked like "
            "any other. With `about`, one claim of the report is researched further. It waits like `research`. "
            f"{_GOES_ON}",
        ),
        _tool(
            ToolHandlers.follow,
            _READS,
            "Follow a session",
            "Wait until a session has ended, `wait_seconds` at most, and tell what has happened since the event "
            "`after`, and how its sub-questions stand. When it is done, ask `report`. Leaving it early changes nothing "
            "for the session.",
        ),
        _tool(
            ToolHandlers.approvals,
            _READS,
            "See what waits for approval",
            "Say what a session waits with until it is approved: its plan, a deeper look into a part, a change of the "
            "plan; or what its question leaves open. Only a session that was started with `approve` or `clarify` "
            "waits. Show it to the user: it is theirs to decide.",
        ),
        _tool(
            ToolHandlers.answer,
            _TELLS,
            "Approve, or say what is to be otherwise",
            "Answer what a session waits for, as the user has decided: accept or reject it, edit the parts of a plan, "
            "or have it made again with a remark; `answer` what the question leaves open. The first answer stands.",
        ),
        _tool(
            ToolHandlers.steer,
            _TELLS,
            "Steer a session",
            "Tell a session that is under way to leave a sub-question out, to look into one further, or to write its "
            "report now from what was found. `follow` names the sub-questions. Where it is too late, it says so.",
        ),
        _tool(
            ToolHandlers.report,
            _READS,
            "Read a report",
            "Return the report of a session: its text, and each claim with its status (quoted, supported, partial, "
            "unsupported, contradicted or unjudged) and the quotes that it rests on, so that it can be cited.",
        ),
        _tool(
            ToolHandlers.source,
            _READS,
            "Show a source",
            "Show a source of a report as it was when it was read: a quote (`E3`) in its context, or a source (`S1`) "
            "from any place on. For checking what a source really says.",
        ),
        _tool(
            ToolHandlers.search_knowledge,
            _READS,
            "Search documents",
            "Find passages in the user's documents by words, best first, in a moment and without any report. For an "
            "answer that has to be put together and checked, ask `research`.",
        ),
        _tool(
            ToolHandlers.check,
            _JUDGES,
            "Check a text",
            "Hold each sentence of a text, whoever wrote it, against the user's documents: which they bear out, which "
            "they contradict, which they do not speak of, with the passage that is nearest. For checking a draft, an "
            "answer of your own before it is given, or what somebody claims. Nothing of it is kept; with a language "
            "model, the judging is paid for.",
        ),
        _tool(
            ToolHandlers.list_sources,
            _READS,
            "List what can be asked",
            "Say which knowledge bases, documents and datasets there are, and whether the web may be asked. It gives "
            "the names and ids that `research` and `search_knowledge` take.",
        ),
        _tool(
            ToolHandlers.plan,
            _STARTS,
            "Plan without researching",
            "Say into which sub-questions a question would be split, what researching it would take in calls, tokens "
            "and dollars, and which servers would be sent something. Nothing is researched; with a language model, the "
            "planning itself is paid for, and its plan is kept for `resume`.",
        ),
        _tool(
            ToolHandlers.list_sessions,
            _READS,
            "List sessions",
            "List sessions, newest first: those of this server, of the command line and of the page alike.",
        ),
        _tool(
            ToolHandlers.cancel,
            _ENDS,
            "Finish a session early",
            "Ask a session to finish early: a report is written from what was found so far. Nothing changes for one "
            "that has ended.",
        ),
        _tool(
            ToolHandlers.resume,
            _STARTS,
            "Go on with a session",
            "Go on with a session that was cancelled, failed, reached a limit (give a higher one), or is only planned; "
            f"what is finished is not done again. It waits like `research`. {_GOES_ON}",
        ),
        _tool(
            ToolHandlers.update,
            _STARTS,
            "Research a question anew",
            "Research the question of an earlier session over what its sources hold today, as a new session; `compare` "
            f"then tells what has changed since. It waits like `research`. {_GOES_ON}",
        ),
        _tool(
            ToolHandlers.compare,
            _READS,
            "Compare two reports",
            "Say what has changed from the report of an earlier session to that of another one: which sentences have "
            "changed, are new or are gone, and which sources.",
        ),
    )
}
"""Every tool by its name."""
