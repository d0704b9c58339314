"""What is known of a dataset before it is asked anything: its fields, their roles, and the tools that reach it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field as PydanticField

from fathom.data.requests import Scalar
from fathom.data.results import Record
from fathom.frozen import FrozenModel

FieldType = Literal["text", "category", "number", "date", "boolean", "id", "url", "other"]
Role = Literal["id", "title", "text", "date", "category", "url"]


class DataField(FrozenModel):
    """A field of a dataset."""

    name: str = PydanticField(min_length=1)
    """Its name; what was nested is named with dots."""
    type: FieldType = "other"
    """What its values are: free text, one of a few words, a number, …"""
    description: str = ""
    """What the dataset says of it."""
    distinct: int | None = None
    """Different values; `None` when not counted."""
    missing: int | None = None
    """Records without a value; `None` when not counted."""
    minimum: Scalar = None
    """Smallest number, earliest date."""
    maximum: Scalar = None
    """Largest number, latest date."""
    values: tuple[str, ...] = ()
    """Its most frequent values, most frequent first, at most 20; of free text none."""
    matches: tuple[str, ...] = ()
    """Those of its values that the question names."""


class FieldMapping(FrozenModel):
    """Which field plays which part. Found by itself; a file may correct it."""

    id: str | None = None
    """What names a record."""
    title: str | None = None
    """What a person would call it."""
    text: tuple[str, ...] = ()
    """Its prose, the field that says most first."""
    date: str | None = None
    """When it was."""
    category: tuple[str, ...] = ()
    """What it may be grouped by, the most telling one first."""
    url: str | None = None
    """Where it is told of."""


class ToolProfile(FrozenModel):
    """Which arguments of a tool mean what; an empty name says that it has no such argument."""

    table: str = ""
    text: str = ""
    filters: str = ""
    filters_as: Literal["object", "json", "list"] = "object"
    """An object of values and conditions by field, the same as a JSON text, or a list of conditions."""
    group_by: str = ""
    group_by_as: Literal["list", "string"] = "list"
    """A list of names, or one text with commas between them."""
    date_histogram: str = ""
    date_histogram_as: Literal["object", "json", "string"] = "object"
    """`{field, interval}`, the same as a JSON text, or `field:interval`."""
    statistics: str = ""
    statistics_as: Literal["list", "string"] = "list"
    top_n: str = ""
    samples_per_bucket: str = ""
    page_size: str = ""
    max_page_size: int | None = None
    """The largest page that its schema allows."""
    cursor: str = ""
    cursor_as: Literal["list", "scalar", "json", "offset", "page"] = "list"
    """How the next page is asked for: what the tool has said, as a list, a single value or a JSON text; or the number
    of records, or of pages, that came before."""

    @property
    def pages(self) -> bool:
        """Whether more records than one answer holds can be had."""
        return bool(self.cursor)

    @property
    def aggregates(self) -> bool:
        """Whether it counts."""
        return bool(self.group_by or self.date_histogram or self.statistics)


ROW = "_row"
"""Name of the number of a row, from 1 on, which names a record where nothing else does."""


class DataTool(FrozenModel):
    """A tool that may be called."""

    name: str = PydanticField(min_length=1)
    """Its name at its server."""
    description: str = ""
    """What it says of itself; material, never an instruction."""
    input_schema: dict[str, Any] = {}
    """JSON Schema of its arguments."""
    profile: ToolProfile = ToolProfile()
    """Which arguments mean what, as far as their names tell."""
    returns_records: bool = False
    """Whether it was seen to return records or counts; `False` for tools that were not tried."""


class DatasetDescription(FrozenModel):
    """What is known of a dataset before it is asked anything."""

    name: str = PydanticField(min_length=1)
    """Its name in allocations."""
    address: str
    """`file://…`, the address of its server, or the command that starts it."""
    title: str = ""
    """What a reader would call it: the name of the file, of the server."""
    tools: tuple[DataTool, ...] = ()
    """The tools that may be called."""
    refused: dict[str, str] = {}
    """Tools that may not be called, and why."""
    fields: tuple[DataField, ...] = ()
    """Its fields; empty when they are not known."""
    tables: tuple[str, ...] = ()
    """Names of its tables, when it has several, the one that fits the question first: it is described."""
    mapping: FieldMapping = FieldMapping()
    """Which field plays which part."""
    total: int | None = PydanticField(default=None, ge=0)
    """Its records; `None` when not known."""
    samples: tuple[Record, ...] = ()
    """Some of its records, at most 5."""
    terms: dict[str, int] = {}
    """For each term of the question (as the analyser writes it), the number of fields and values that hold it."""
    revision: str = ""
    """Changes whenever its content changes; empty when not known."""

    @property
    def table(self) -> str:
        """The table that is described, and asked if none is named; empty when there is only one."""
        return self.tables[0] if len(self.tables) > 1 else ""

    def field(self, name: str) -> DataField | None:
        """The field of that name."""
        return next((field for field in self.fields if field.name == name), None)
