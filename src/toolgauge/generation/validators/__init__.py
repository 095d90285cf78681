"""What each try of the planner and the tools must satisfy; a try with objections is made again."""
