"""Trials of tool lists, and the variants that they are made of."""
