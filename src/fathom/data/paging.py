"""All that a request matches, page by page: where the next page begins, and whether there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fathom.data.fields import DataTool
from fathom.data.requests import DataRequest, Scalar
from fathom.data.turns import ToolAnswer


@dataclass
class Paging:
    """How far one tool has been read under some conditions; whoever scans again goes on there."""

    tool: DataTool
    cursor: tuple[Scalar, ...] = ()
    """Where the next page begins."""
    pages: int = 0
    """Pages so far."""
    complete: bool = False
    """Whether every page was read."""
    blocked: str = ""
    """Why it cannot go on; empty when it can."""

    @property
    def has_ended(self) -> bool:
        """Whether no page follows."""
        return self.complete or bool(self.blocked)

    def request(self, of: DataRequest, *, size: int, left: int | None) -> DataRequest:
        """What asks for the next page: no more records than are `left` to read; numbered pages keep their size."""
        if left is not None and self.tool.profile.cursor_as != "page":
            size = max(1, min(size, left))
        return of.model_copy(update={"page_size": size, "search_after": self.cursor})

    def end(self, why: str = "") -> None:
        """The pages end here: all came, or there is a reason why the rest cannot be had."""
        self.complete, self.blocked = not why, f"{self.tool.name} {why}" if why else ""

    def goes_on(self, answer: ToolAnswer, *, missing: int | None, is_new: Callable[[tuple[Scalar, ...]], bool]) -> bool:
        """Whether another page follows this one, of whose kind so many records are `missing`, if that is known.

        `is_new` says whether a page was not named before: a tool that names it twice would hold whoever reads on.
        """
        if not answer.has_more or (missing is not None and missing <= 0):
            self.end(f"returns {missing} records fewer than it counts" if missing and missing > 0 else "")
        elif not answer.search_after or not self.tool.profile.cursor:
            self.end("has no further pages")
        elif not is_new(answer.search_after):
            self.end("names the same page twice")
        else:
            self.cursor = answer.search_after
            return True
        return False
