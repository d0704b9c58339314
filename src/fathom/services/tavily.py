"""What it takes to ask Tavily, which both searches and reads pages."""

from __future__ import annotations

from fathom.services.terms import Terms

TAVILY = Terms(
    name="tavily", title="Tavily", key="needed", variable="TAVILY_API_KEY", header="Authorization", per_second=5.0
)
