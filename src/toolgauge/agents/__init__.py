"""Agents under test: whoever has a loop of his own, and tools behind MCP."""
