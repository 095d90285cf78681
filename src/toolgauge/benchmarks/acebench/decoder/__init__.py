"""ACEBench's way of writing calls, decoded by the rules of its scorings."""
