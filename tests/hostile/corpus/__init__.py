"""Hostile inputs, by family. Each is built into a folder of a test's own; nothing of them is stored."""
