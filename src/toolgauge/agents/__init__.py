"""Agents under test: an agent has a loop of its own and calls its tools over MCP."""
