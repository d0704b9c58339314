"""States what records say that were fetched before; it never fetches."""

from __future__ import annotations

from fathom.data.turns import AgentName, Extract, ExtractorOutput
from fathom.engine.data.desk import Bench
from fathom.engine.data.reading import batch_of, each_kept, most_of_a_batch, read
from fathom.findings import Finding


class Extractor:
    """Reads the pages that tools have brought and nobody has read."""

    name: AgentName = "extractor"
    fetches = False
    reads = True
    line = "States what records say that a tool has already returned, with the sub-questions in view; fetches nothing."

    async def run(self, bench: Bench, call: Extract) -> ExtractorOutput | None:
        """What the pages say, in the order in which they came."""
        desk = bench.desk
        known = {facet for finding in desk.shelf.findings for facet in finding.facets}
        wanted = call.documents or tuple(desk.pages)
        for sha256 in wanted:
            if sha256 not in desk.pages:
                bench.errors.append(f"extractor: no unread page {sha256[:12]}")
        pages = [sha256 for sha256 in dict.fromkeys(wanted) if sha256 in desk.pages]
        most = most_of_a_batch(desk.context.run.limits.max_findings, len(pages))
        found: list[Finding] = []
        processed = 0
        for number, sha256 in enumerate(pages):
            if desk.left == 0:
                bench.errors.append("extractor: max_records is reached")
                break
            page = desk.pages[sha256]
            batch = await batch_of(bench, page.document, conditions=page.conditions, scope=page.scope)
            allowed = min(most, call.max_findings_per_doc * max(1, len(batch.ids)))
            new = await read(bench, batch, at=f"read/{number}", focus=call.extraction_focus, most=allowed)
            if new is None:
                continue
            del desk.pages[sha256]
            found += new
            processed += len(batch.ids)
        themes = dict.fromkeys(facet for finding in found for facet in finding.facets if facet not in known)
        return ExtractorOutput(
            findings=each_kept(bench, found), docs_processed=processed, new_themes_discovered=tuple(themes)
        )
