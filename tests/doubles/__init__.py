"""Doubles that only tests use; those that examples and documents name ship as `fathom.testing`."""
