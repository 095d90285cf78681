"""What is shown of a task, per kind of benchmark: what was said, what was expected, and how the two compare."""
