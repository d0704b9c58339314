"""Where adapters meet the engine: settings become stores, sources and a reasoner, and a question becomes a run.

What is heavy is imported when it is needed, so that a command can show its first line at once.
"""

from __future__ import annotations

from fathom.settings import Settings, load_settings
from fathom.wiring.adapters import (
    checked_paths,
    checkpoints_file,
    embedders,
    forget_checkpoints,
    ingest,
    knowledge_file,
    knowledge_files,
    last_checkpoint,
    open_embedder,
    open_reasoner,
    open_store,
    opened_knowledge,
    opened_reasoner,
    opened_store,
    runs_file,
)
from fathom.wiring.data import data_sources, opened_datasets, server_of, sources_of
from fathom.wiring.forks import branch_off, fork
from fathom.wiring.question import Question, changed_limits, checked_query, limits_for, new_run_id
from fathom.wiring.queued import carry_out, submit
from fathom.wiring.resources import Resources, opened_resources, opened_tokens
from fathom.wiring.running import RunStream
from fathom.wiring.runs import Prospect, foresee, plan_for, replay, research, resume, stream, take_up
from fathom.wiring.tracing import tracing_allowed
from fathom.wiring.web import archive_file, open_archive, opened_web, rules_for, rules_of

__all__ = [
    "Prospect",
    "Question",
    "Resources",
    "RunStream",
    "Settings",
    "archive_file",
    "branch_off",
    "carry_out",
    "changed_limits",
    "checked_paths",
    "checked_query",
    "checkpoints_file",
    "data_sources",
    "embedders",
    "foresee",
    "forget_checkpoints",
    "fork",
    "ingest",
    "knowledge_file",
    "knowledge_files",
    "last_checkpoint",
    "limits_for",
    "load_settings",
    "new_run_id",
    "open_archive",
    "open_embedder",
    "open_reasoner",
    "open_store",
    "opened_datasets",
    "opened_knowledge",
    "opened_reasoner",
    "opened_resources",
    "opened_store",
    "opened_tokens",
    "opened_web",
    "plan_for",
    "replay",
    "research",
    "resume",
    "rules_for",
    "rules_of",
    "runs_file",
    "server_of",
    "sources_of",
    "stream",
    "submit",
    "take_up",
    "tracing_allowed",
]
