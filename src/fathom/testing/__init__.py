"""Doubles of the ports for tests and benchmarks, yours included: simulated reasoners and sources, and faults."""
