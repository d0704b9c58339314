"""What every noun of Fathom is: a frozen value with a canonical form and a digest."""

from __future__ import annotations

import hashlib
import json

from pydantic import BaseModel, ConfigDict


class Noun(BaseModel):
    """A frozen value. The docstring under a field is its description in every schema."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def digest(self) -> str:
        """SHA-256 of the canonical JSON: equal values have equal digests, in every process."""
        canonical = json.dumps(self.model_dump(mode="json"), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()
