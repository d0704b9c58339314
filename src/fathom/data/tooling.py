"""Which tools can serve a request: pure functions over what is known of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from fathom.data.fields import DatasetDescription, DataTool
from fathom.data.profile import lacks
from fathom.data.requests import Counting, DataRequest
from fathom.data.snapshots import one_line
from fathom.errors import ToolRefused

C = TypeVar("C", bound=Counting)


class Choice(NamedTuple):
    """Tools that can serve, and why others cannot."""

    tools: tuple[DataTool, ...]
    errors: tuple[str, ...] = ()


def counting_tools(dataset: DatasetDescription, names: Sequence[str], request: DataRequest) -> Choice:
    """Those of the named tools that can count so; without names the first that can."""
    if request.is_page:
        return Choice((), ("there is nothing to count by: name group_by, date_histogram or statistics",))
    return _choice(dataset, names, request, "count so")


def reading_tools(dataset: DatasetDescription, names: Sequence[str], request: DataRequest) -> Choice:
    """Those of the named tools that return such records; without names the first that does, page by page if any can."""
    return _choice(dataset, names, request, "return such records")


def of_table(dataset: DatasetDescription, asked: C) -> C:
    """The same of the table that is described, where there are several and none is named."""
    return asked if asked.table or not dataset.table else asked.model_copy(update={"table": dataset.table})


def at_table(dataset: DatasetDescription, tool: DataTool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, with the table as `of_table` has it."""
    name = tool.profile.table
    return (
        dict(arguments) if not (name and dataset.table) or arguments.get(name) else {**arguments, name: dataset.table}
    )


def tool_named(description: DatasetDescription, name: str) -> DataTool:
    """The tool of that name.

    Raises:
        ToolRefused: there is none, or it may not be called; the text says which may.
    """
    for tool in description.tools:
        if tool.name == name:
            return tool
    if why := description.refused.get(name):
        raise ToolRefused(f"{name} may not be called: {why}")
    known = ", ".join(tool.name for tool in description.tools) or "none"
    raise ToolRefused(f"There is no tool {one_line(name)[:80]!r}. Known: {known}.")


def _choice(dataset: DatasetDescription, names: Sequence[str], request: DataRequest, what: str) -> Choice:
    errors = []
    named = []
    for name in dict.fromkeys(names):
        try:
            tool = tool_named(dataset, name)
        except ToolRefused as error:
            errors.append(str(error))
            continue
        missing = lacks(tool.profile, request)
        if missing:
            errors.append(f"{name} takes no {', '.join(missing)}")
        else:
            named.append(tool)
    if names:
        return Choice(tuple(named), tuple(errors))
    able = [tool for tool in dataset.tools if not lacks(tool.profile, request) and _fits(tool, request)]
    if not able:
        return Choice((), (f"no tool can {what}",))
    # what was seen to work comes first, then what has pages, then the order of the dataset
    best = min(able, key=lambda tool: (not tool.returns_records, request.is_page and not tool.profile.pages))
    return Choice((best,))


def _fits(tool: DataTool, request: DataRequest) -> bool:
    """Whether it is made for that, as far as can be told."""
    if not request.is_page:
        return tool.profile.aggregates
    return tool.returns_records or tool.profile.pages or bool(tool.profile.page_size)
