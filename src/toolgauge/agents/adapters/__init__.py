"""How an agent is spoken to: over HTTP, as a Python function, as a process."""
