"""tau2-bench's text domains as benchmarks of toolgauge."""
