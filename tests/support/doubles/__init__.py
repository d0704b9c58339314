"""Doubles that only tests and benchmarks use; those that examples and documents name ship as `fathom_testing`."""
