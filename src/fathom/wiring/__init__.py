"""Where adapters meet the engine: settings become stores, sources and a reasoner, and a question becomes a run.

Each name is imported from its place when it is first asked for: no command needs all of them, and each shows its first
line at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fathom.lazy import lazily

if TYPE_CHECKING:
    from fathom.settings import Settings as Settings
    from fathom.settings import load_settings as load_settings
    from fathom.wiring.adapters import checked_paths as checked_paths
    from fathom.wiring.adapters import checkpoints_file as checkpoints_file
    from fathom.wiring.adapters import embedders as embedders
    from fathom.wiring.adapters import forget_checkpoints as forget_checkpoints
    from fathom.wiring.adapters import ingest as ingest
    from fathom.wiring.adapters import knowledge_file as knowledge_file
    from fathom.wiring.adapters import knowledge_files as knowledge_files
    from fathom.wiring.adapters import last_checkpoint as last_checkpoint
    from fathom.wiring.adapters import open_embedder as open_embedder
    from fathom.wiring.adapters import open_reasoner as open_reasoner
    from fathom.wiring.adapters import open_store as open_store
    from fathom.wiring.adapters import opened_knowledge as opened_knowledge
    from fathom.wiring.adapters import opened_reasoner as opened_reasoner
    from fathom.wiring.adapters import opened_store as opened_store
    from fathom.wiring.adapters import runs_file as runs_file
    from fathom.wiring.data import data_sources as data_sources
    from fathom.wiring.data import opened_datasets as opened_datasets
    from fathom.wiring.data import server_of as server_of
    from fathom.wiring.data import sources_of as sources_of
    from fathom.wiring.forks import branch_off as branch_off
    from fathom.wiring.forks import fork as fork
    from fathom.wiring.question import Question as Question
    from fathom.wiring.question import changed_limits as changed_limits
    from fathom.wiring.question import checked_query as checked_query
    from fathom.wiring.question import limits_for as limits_for
    from fathom.wiring.question import new_run_id as new_run_id
    from fathom.wiring.queued import carry_out as carry_out
    from fathom.wiring.queued import submit as submit
    from fathom.wiring.resources import Resources as Resources
    from fathom.wiring.resources import opened_resources as opened_resources
    from fathom.wiring.resources import opened_tokens as opened_tokens
    from fathom.wiring.running import RunStream as RunStream
    from fathom.wiring.runs import Prospect as Prospect
    from fathom.wiring.runs import foresee as foresee
    from fathom.wiring.runs import plan_for as plan_for
    from fathom.wiring.runs import replay as replay
    from fathom.wiring.runs import research as research
    from fathom.wiring.runs import resume as resume
    from fathom.wiring.runs import stream as stream
    from fathom.wiring.runs import take_up as take_up
    from fathom.wiring.tracing import tracing_allowed as tracing_allowed
    from fathom.wiring.web import archive_file as archive_file
    from fathom.wiring.web import open_archive as open_archive
    from fathom.wiring.web import opened_web as opened_web
    from fathom.wiring.web import rules_for as rules_for
    from fathom.wiring.web import rules_of as rules_of

__getattr__ = lazily(__name__)
