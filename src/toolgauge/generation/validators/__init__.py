"""What the planner and the tools may not do: checked at once, so that a bad try never stands."""
