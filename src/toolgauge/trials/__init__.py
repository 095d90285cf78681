"""Trials of tool lists: one benchmark and one model with several variants of the tools, compared in pairs."""
