"""Where adapters meet the engine: settings become stores, sources and a reasoner, and a question becomes a run.

Each name is imported from its place when it is first asked for: no command needs all of them, and each shows its first
line at once.
"""

# ruff: noqa: F401 - each name is there for others

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.lazy import lazily

if TYPE_CHECKING:
    from fathom.settings import Settings, load_settings
    from fathom.wiring.adapters import (
        forget_checkpoints,
        ingest,
        knowledge_file,
        knowledge_files,
        last_checkpoint,
        open_archive,
        open_embedder,
        open_reasoner,
        opened_knowledge,
        opened_reasoner,
        opened_store,
        opened_tokens,
        rankers_in_force,
        runs_file,
    )
    from fathom.wiring.again import Update
    from fathom.wiring.data import data_sources, opened_datasets, server_of, sources_of
    from fathom.wiring.fathom import Fathom, Prospect
    from fathom.wiring.opening import checked, refuse_imported
    from fathom.wiring.question import Question, changed_limits, checked_query, limits_for, new_run_id
    from fathom.wiring.running import RunStream
    from fathom.wiring.runs import (
        answer,
        approvals,
        ask,
        ask_on,
        branch_off,
        check,
        compare,
        expected,
        fork,
        plan_for,
        replay,
        research,
        resume,
        steer,
        stream,
        take_up,
        update,
    )
    from fathom.wiring.web import opened_web, rules_for, rules_of

__getattr__ = lazily(__name__)
