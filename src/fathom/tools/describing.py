"""What can be known of a server before it is asked anything: its tools, and by one small probe of each its fields."""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fathom.data.fields import DataField, DatasetDescription, DataTool, FieldMapping, ToolProfile
from fathom.data.mapping import corrected, field_types, mapping_of
from fathom.data.profile import profile_of
from fathom.data.results import Record, ToolResult
from fathom.data.servers import DataSource
from fathom.errors import ProviderError
from fathom.text.analysis import query_terms, terms
from fathom.text.stopwords import ASKING_WORDS, ENGLISH_STOP_WORDS
from fathom.tools.cleaning import MOST_DESCRIPTION, as_json, clean_line, clean_text
from fathom.tools.connection import ServerConnection
from fathom.tools.parsing import parsed
from fathom.tools.policy import OfferedTool, ToolGate

PROBES = 12
"""Tools that are tried."""
PROBE_SECONDS = 20.0
"""How long trying all of them may take; what is not tried by then can still be called."""
_PROBED = 20
"""Records that a probe asks for."""
_SAMPLES = 5
_MOST_SCHEMA = 20_000
"""Characters of a schema that are kept."""
_MOST_MATCHES = 20


@dataclass(frozen=True)
class ServerProfile:
    """What was found of a server, whatever is asked."""

    tools: tuple[DataTool, ...]
    refused: dict[str, str]
    describes: str
    """The tool of our own server that describes its data; empty for others."""
    fields: tuple[DataField, ...] = ()
    mapping: FieldMapping = field(default_factory=FieldMapping)
    total: int | None = None
    records: tuple[Record, ...] = ()
    """What the probes have returned."""
    revision: str = ""


async def discover(
    connection: ServerConnection, gate: ToolGate, source: DataSource, *, declared: bool
) -> ServerProfile:
    """Look at the tools, and try those that need no argument; `declared`: of those that declare that they only read.

    Raises:
        ConfigurationError: the mapping names a field that is not there.
        ProviderError: it cannot be reached.
    """
    await connection.open()
    offers = gate.offers
    tools = [tool_of(offer) for offer in offers]
    refused = {clean_line(name): clean_line(reason) for name, reason in gate.refused.items()}
    probed: dict[str, ToolResult] = {}
    deadline = asyncio.get_running_loop().time() + PROBE_SECONDS
    for offer, tool in zip(offers, tools, strict=True):
        if len(probed) >= PROBES or not gate.reads(offer.name, declared=declared):
            continue
        if _required(offer.input_schema, tool.profile):
            continue
        answer = await _tried(connection, tool, deadline)
        if answer is not None and is_description(answer.get("structuredContent")):
            others = tuple(each for each in tools if each.name != tool.name)
            return ServerProfile(
                tools=_marked(others, {each.name for each in others}), refused=refused, describes=tool.name
            )
        result = ToolResult()
        if answer is not None and not answer.get("isError"):
            result = parsed(answer, profile=tool.profile, arguments=_smallest(tool.profile))
        probed[tool.name] = result
    useful = [result for result in probed.values() if result.records]
    best = max(useful, key=lambda result: (len(result.records), result.total or 0), default=ToolResult())
    fields = field_types(best.records)
    correction = source.mapping.get(source.name)
    return ServerProfile(
        tools=_marked(tools, {name for name, result in probed.items() if result.records or result.aggregations}),
        refused=refused,
        describes="",
        fields=fields,
        mapping=corrected(mapping_of(fields, best.records), correction, fields),
        total=best.total,
        records=best.records,
        revision=best.revision,
    )


def tool_of(offer: OfferedTool) -> DataTool:
    """A tool as it is shown to a planner: what it says of itself is cut and cleaned."""
    schema = _schema(offer.input_schema)
    return DataTool(
        name=offer.name,
        description=clean_text(offer.description, most=MOST_DESCRIPTION),
        input_schema=schema,
        profile=profile_of(schema),
    )


def described(found: ServerProfile, source: DataSource, *, address: str, query: str) -> DatasetDescription:
    """The description of a server that does not describe itself: what `query` names is told from its samples."""
    wanted = query_terms(query)
    values: dict[str, list[str]] = {each.name: list(each.values) for each in found.fields}
    for record in found.records:
        for name, value in record.fields.items():
            if isinstance(value, str) and 0 < len(value) <= 80:
                values.setdefault(name, []).append(value)
    fields = tuple(
        each.model_copy(update={"matches": tuple(_named(values.get(each.name, []), query))}) for each in found.fields
    )
    held = [set(terms(" ".join([each.name, *values.get(each.name, [])]))) for each in found.fields]
    return DatasetDescription(
        name=source.name,
        address=address,
        title=source.name,
        tools=found.tools,
        refused=found.refused,
        fields=fields,
        mapping=found.mapping,
        total=found.total,
        samples=found.records[:_SAMPLES],
        terms={term: sum(term in each for each in held) for term in wanted if any(term in each for each in held)},
        revision=found.revision,
    )


def is_description(value: Any) -> bool:
    """Whether a result is what our own server says of its data."""
    if not isinstance(value, Mapping) or not isinstance(value.get("fields"), list):
        return False
    return isinstance(value.get("mapping"), Mapping) and "revision" in value and "samples" in value


def _named(values: Sequence[str], question: str) -> list[str]:
    """Those of the values that the question names, in any form of their words; the longest first.

    >>> _named(["Cloud", "South India", "it"], "Is it about clouds in South India?")
    ['South India', 'Cloud']
    """
    folded, asked = unicodedata.normalize("NFKC", question).casefold(), terms(question)
    runs = {tuple(asked[start:end]) for start in range(len(asked)) for end in range(start + 1, len(asked) + 1)[:8]}
    found = []
    for value in dict.fromkeys(values):
        plain = unicodedata.normalize("NFKC", value).casefold().strip()
        if len(plain) < 2 or plain in ENGLISH_STOP_WORDS or plain in ASKING_WORDS:
            continue
        if tuple(terms(value)) in runs or (not plain.isascii() and plain in folded):
            found.append(value)
    return sorted(found, key=lambda value: -len(value))[:_MOST_MATCHES]


async def _tried(connection: ServerConnection, tool: DataTool, deadline: float) -> dict[str, Any] | None:
    """What a tool answers to the smallest question; `None` when it fails, which it may do later, too."""
    try:
        async with asyncio.timeout_at(deadline):
            return await connection.call(tool.name, _smallest(tool.profile))
    except (ProviderError, TimeoutError):
        return None


def _smallest(profile: ToolProfile) -> dict[str, Any]:
    return {profile.page_size: min(_PROBED, profile.max_page_size or _PROBED)} if profile.page_size else {}


def _required(schema: Mapping[str, Any], profile: ToolProfile) -> list[str]:
    """Arguments without which the tool cannot be called, besides the size of a page."""
    required = schema.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    return [name for name in names if name != profile.page_size]


def _marked(tools: Sequence[DataTool], returning: set[str]) -> tuple[DataTool, ...]:
    return tuple(tool.model_copy(update={"returns_records": tool.name in returning}) for tool in tools)


def _schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema whose texts are clean; without its descriptions, or empty, when it is too large."""
    cleaned = _cleaned(schema, 8)
    if not isinstance(cleaned, dict) or len(as_json(cleaned)) > _MOST_SCHEMA:
        given = schema.get("properties")
        names = list(given)[:50] if isinstance(given, Mapping) else []
        return {"type": "object", "properties": {clean_line(str(name)): {} for name in names}}
    return cleaned


def _cleaned(value: Any, depth: int) -> Any:
    if isinstance(value, str):
        return clean_line(value, most=MOST_DESCRIPTION)
    if isinstance(value, Mapping):
        return {clean_line(str(name)): _cleaned(each, depth - 1) for name, each in value.items()} if depth else {}
    if isinstance(value, list):
        return [_cleaned(each, depth - 1) for each in value[:200]] if depth else []
    return value
