"""What it takes to ask Tavily, which both searches and reads pages."""

from __future__ import annotations

from pydantic import SecretStr

from fathom.services.terms import Terms

TAVILY = Terms(name="tavily", title="Tavily", key="needed", variable="TAVILY_API_KEY", per_second=5.0)


def bearer(key: SecretStr | None) -> dict[str, str]:
    """The header that brings a key as most services want it."""
    return {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
