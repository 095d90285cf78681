"""Inspect AI both ways: our benchmarks as its tasks, its models in our runs. Needs the extra `inspect` (README.md)."""
