"""The graph of one subtask: allocate → gather → extract → assess → gather again, drill down, or synthesize."""

from __future__ import annotations

from fathom.engine.flow import DONE, Flow
from fathom.engine.state import Branch, Step
from fathom.engine.steps.assess import assess, drill_down
from fathom.engine.steps.extract import extract
from fathom.engine.steps.gather import allocate, gather
from fathom.engine.steps.synthesize import synthesize


def where_to(branch: Branch) -> Step:
    """Where routing has decided to go (see `fathom.engine.routing`)."""
    return branch["next"]


SUBTASK = Flow(
    "subtask",
    Branch,
    ((allocate,), (gather,), (extract,), (assess,), (drill_down,), (synthesize,)),
    {
        "extract": (where_to, ("assess", "synthesize", DONE)),
        "assess": (where_to, ("allocate", "drill_down", "synthesize")),
    },
)
"""Never checkpointed: the journal answers what was asked before."""
