"""Engines that serve a model on this machine: which there are, what they need for a family, and their processes."""
