"""What Fathom knows about text: language, terms, sentences, and how a quote is shown. Pure, without I/O."""

from __future__ import annotations
