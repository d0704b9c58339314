"""The state of a run: small records, each with all that it has from the moment it is made."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil

import fathom.engine

MOST_FIELDS = 15


def _records() -> dict[str, type]:
    modules = pkgutil.walk_packages(fathom.engine.__path__, "fathom.engine.")
    return {
        f"{module.name}.{name}": kind
        for module in modules
        for name, kind in vars(importlib.import_module(module.name)).items()
        if dataclasses.is_dataclass(kind) and isinstance(kind, type) and kind.__module__ == module.name
    }


def test_no_record_of_the_engine_has_more_than_fifteen_fields() -> None:
    records = _records()
    assert {"fathom.engine.state.RunState", "fathom.engine.data.state.DatasetState"} <= records.keys()
    sizes = {name: len(dataclasses.fields(kind)) for name, kind in records.items()}
    assert {name: size for name, size in sizes.items() if size > MOST_FIELDS} == {}


def test_no_field_is_bound_after_its_record_was_made() -> None:
    late = [
        f"{name}.{each.name}" for name, kind in _records().items() for each in dataclasses.fields(kind) if not each.init
    ]
    assert late == []
