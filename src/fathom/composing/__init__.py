"""How a report is told: what was checked is numbered, and set with figures, limitations and sources."""
