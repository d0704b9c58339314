"""The variables in which services have their users keep a key count, but at the service's own address alone."""

from __future__ import annotations

from typing import Any

import pytest

from fathom.search import searches
from fathom.settings import Settings

VARIABLES = {
    "exa": "EXA_API_KEY",
    "openalex": "OPENALEX_API_KEY",
    "pubmed": "NCBI_API_KEY",
    "semantic_scholar": "SEMANTIC_SCHOLAR_API_KEY",
    "serper": "SERPER_API_KEY",
}


@pytest.mark.parametrize(("name", "variable"), VARIABLES.items())
def test_a_key_in_the_variable_of_a_service_is_its_key(
    monkeypatch: pytest.MonkeyPatch, name: str, variable: str
) -> None:
    monkeypatch.setenv(variable, "of-the-variable")
    kind: Any = searches.get(name)

    def key(**changes: Any) -> str | None:
        secret = kind.terms.key_of(Settings(**changes))
        return secret.get_secret_value() if secret else None

    assert key() == "of-the-variable"
    assert key(**{f"{name}_api_key": "of-the-setting"}) == "of-the-setting"
    assert key(**{f"{name}_base_url": "http://elsewhere.example"}) is None
