"""Which tool of a dataset can be asked what, and how far it can be asked at all."""

from __future__ import annotations

from fathom.data.fields import DatasetDescription, DataTool
from fathom.data.profile import lacks
from fathom.data.requests import DataRequest


def counting_tool(dataset: DatasetDescription, request: DataRequest) -> DataTool | None:
    """The first tool that can count so, those first that were seen to answer."""
    able = [
        tool
        for tool in dataset.tools
        if (bool(tool.profile.page_size) if request.is_page else tool.profile.aggregates)
        and not lacks(tool.profile, request)
    ]
    return min(able, key=lambda tool: not tool.returns_records, default=None)


def servable(dataset: DatasetDescription, request: DataRequest) -> DataRequest | None:
    """The request as some tool can count it: without sums if need be, never without its filters; else `None`.

    What is counted under fewer filters than were asked for would be the answer to another question.
    """
    if counting_tool(dataset, request) is not None:
        return request
    parts = ({"statistics": ()}, {"date_histogram": None}, {"date_histogram": None, "statistics": ()})
    for part in parts:
        less = request.model_copy(update=part)
        if less != request and not less.is_page and counting_tool(dataset, less) is not None:
            return less
    return None


def reading_tool(dataset: DatasetDescription, request: DataRequest) -> tuple[DataTool, DataRequest] | None:
    """A tool that returns records, and the request as far as it takes it: filters it does not know are left away.

    Tools that know the filters come first, then those with pages, then those that only search by words.
    """
    order = []
    for at, tool in enumerate(dataset.tools):
        profile = tool.profile
        missing = lacks(profile, request)
        knows = tool.returns_records or profile.pages or bool(profile.page_size or profile.text or profile.filters)
        if not knows and tool.input_schema.get("required"):
            continue
        order.append((("filters" in missing), not profile.pages, not tool.returns_records, at, tool, missing))
    if not order:
        return None
    *_, tool, missing = min(order, key=lambda each: each[:4])
    less = {"filters": ()} if "filters" in missing else {}
    return tool, request.model_copy(update={**less, **({"text": ""} if "text" in missing else {})})
