"""Runs as files for other programs."""
